//! Whose events are: sessions of several agents in one phase.

use super::{Guest, Host, both, call, common, lines, with};
use serde_json::{Value, json};

/// Targets of touches with their agents.
fn whose(host: &Host) -> Vec<(String, Option<String>)> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let events = host.events(&["--kind", "file.touch"]);
    events.iter().map(|event| (text(&event["target"]).unwrap(), text(&event["agent"]))).collect()
}

fn pairs(pairs: &[(&str, Option<&str>)]) -> Vec<(String, Option<String>)> {
    pairs.iter().map(|(target, agent)| ((*target).to_owned(), agent.map(str::to_owned))).collect()
}

/// Seed, follow-up INT-01: tap sessions to agents under multi-agent phases.
#[test]
fn sessions_of_several_agents_in_one_guest() {
    both(|host, place| {
        let guest = Guest::new(place, "g");
        guest.batch(&[("tools.jsonl", &lines([call("s1", "a"), call("s2", "b"), call("s3", "c")]))]);
        let report = &host.drain(&["--session", "s1=ann", "--session", "s2=ben", &guest.source()])[0];
        assert_eq!(report["unattributed"], 2, "the third session's call and touch are nobody's");
        assert_eq!(whose(host), pairs(&[("a", Some("ann")), ("b", Some("ben")), ("c", None)]));
        // What was said stays known, and what is said later counts for what was stored before.
        guest.batch(&[("tools.jsonl", &lines([call("s1", "d"), call("s3", "e")]))]);
        let report = &host.drain(&["--session", "s3=cleo", &guest.source()])[0];
        assert_eq!(report["unattributed"], 0);
        let all = [
            ("a", Some("ann")),
            ("b", Some("ben")),
            ("c", Some("cleo")),
            ("d", Some("ann")),
            ("e", Some("cleo")),
        ];
        assert_eq!(whose(host), pairs(&all));
        // Another phase knows nothing of it.
        guest.batch(&[("tools.jsonl", &lines([call("s1", "f")]))]);
        host.drain(&["--phase", "q", &guest.source()]);
        assert_eq!(whose(host).last().unwrap(), &("f".to_owned(), None));
    });
}

#[test]
fn the_only_agent_of_each_guest() {
    both(|host, place| {
        let (one, two) = (Guest::new(place, "one"), Guest::new(place, "two"));
        one.batch(&[(
            "tools.jsonl",
            &lines([call("s1", "a"), with(call("s", "b"), json!({"session": null}))]),
        )]);
        two.batch(&[("tools.jsonl", &lines([call("s2", "c")]))]);
        let file = place.join("sources.toml");
        let text = format!(
            "[[source]]\nfrom = \"{}\"\nagent = \"ann\"\n[[source]]\nfrom = \"{}\"\nagent = \"ben\"\nphase = \"q\"\nsessions = {{ s9 = \"x\" }}\n",
            one.source(),
            two.source()
        );
        std::fs::write(&file, text).unwrap();
        host.drain(&["--sources", file.to_str().unwrap()]);
        let mut found = whose(host);
        found.sort();
        assert_eq!(found, pairs(&[("a", Some("ann")), ("b", Some("ann")), ("c", Some("ben"))]));
        assert_eq!(host.events(&["--phase", "q"]).len(), 2);
        // The session went on in a guest of which nothing is said.
        let three = Guest::new(place, "three");
        three.batch(&[("tools.jsonl", &lines([call("s1", "d")]))]);
        host.drain(&[&three.source()]);
        assert_eq!(whose(host).last().unwrap(), &("d".to_owned(), Some("ann".to_owned())));
    });
}

#[test]
fn a_sub_agent_is_found_by_its_id_and_its_type() {
    both(|host, place| {
        let guest = Guest::new(place, "g");
        let sub = with(call("s", "a"), json!({"agent": "a3dc", "agent_type": "verifier"}));
        let role = with(
            common("s"),
            json!({"rule": "mission.role.verifier", "agent_type": "verifier", "payload": {}}),
        );
        guest.batch(&[("tools.jsonl", &lines([sub, call("s", "b")])), ("denied.jsonl", &lines([role]))]);
        host.drain(&["--agent", "ann", &guest.source()]);
        let found = |agent: &str| host.events(&["--agent", agent]).len();
        assert_eq!([found("ann"), found("a3dc"), found("verifier"), found("ben")], [5, 2, 3, 0]);
    });
}
