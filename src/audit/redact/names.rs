//! Which names have a secret for their value, as data.

/// Parts of a name that make it one of a secret: `API_KEY`, `--client-secret`, `authToken`.
const WORDS: &[&str] = &[
    "apikey",
    "auth",
    "authorization",
    "bearer",
    "cookie",
    "cookies",
    "cred",
    "credential",
    "credentials",
    "creds",
    "jwt",
    "key",
    "keys",
    "otp",
    "pass",
    "passin",
    "passout",
    "passphrase",
    "passwd",
    "password",
    "passwords",
    "pat",
    "pw",
    "pwd",
    "sas",
    "secret",
    "secrets",
    "sig",
    "signature",
    "token",
    "tokens",
];

/// Ends of a part that do: `PGPASSWORD`, `mytoken`.
const ENDINGS: &[&str] = &[
    "apikey",
    "credential",
    "credentials",
    "passphrase",
    "passwd",
    "password",
    "secret",
    "secretkey",
    "token",
];

/// Last parts that tell where or what the secret is, not the secret.
const HARMLESS: &[&str] = &[
    "command", "dir", "env", "fd", "file", "helper", "host", "id", "length", "name", "path", "sock", "stdin",
    "ttl", "type", "uri", "url", "user",
];

/// Whole names that only look like one.
const WHOLE: &[&str] = &["pwd", "oldpwd"];

/// Whether a name has a secret for its value.
#[must_use]
pub fn is_secret(name: &[u8]) -> bool {
    let name = String::from_utf8_lossy(name);
    let parts = parts(&name);
    let harmless = parts.last().is_none_or(|last| HARMLESS.contains(&last.as_str()));
    if harmless || WHOLE.contains(&name.to_ascii_lowercase().as_str()) {
        return false;
    }
    let secret =
        |part: &String| WORDS.contains(&part.as_str()) || ENDINGS.iter().any(|ending| part.ends_with(ending));
    parts.iter().any(secret)
}

/// The parts of a name in lower case: at `_`, `-`, `.` and where a capital follows a small letter.
fn parts(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut small = false;
    for ch in name.chars() {
        let separates = "_-.".contains(ch);
        if separates || (small && ch.is_ascii_uppercase()) {
            parts.push(String::new());
        }
        if let Some(part) = parts.last_mut().filter(|_| !separates) {
            part.push(ch.to_ascii_lowercase());
        }
        small = ch.is_ascii_lowercase() || ch.is_ascii_digit();
    }
    parts.retain(|part| !part.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::is_secret;

    #[test]
    fn names() {
        for name in [
            "TOKEN",
            "GITHUB_TOKEN",
            "API_KEY",
            "SECRET",
            "AWS_SECRET_ACCESS_KEY",
            "PASSWORD",
            "PGPASSWORD",
            "MYSQL_PWD",
            "DB_PASS",
            "CREDENTIALS",
            "AUTH",
            "HTTP_AUTHORIZATION",
            "_authToken",
            "apiKey",
            "--token",
            "client-secret",
            "X-Api-Key",
            "mytoken",
            "password",
            "access_token",
        ] {
            assert!(is_secret(name.as_bytes()), "{name}");
        }
        for name in [
            "",
            "_",
            "PWD",
            "OLDPWD",
            "PATH",
            "HOME",
            "AUTHOR",
            "GIT_AUTHOR_NAME",
            "KEYBOARD",
            "MONKEY",
            "TOKEN_FILE",
            "--password-stdin",
            "SSH_AUTH_SOCK",
            "AWS_ACCESS_KEY_ID",
            "compass",
            "tokenizer",
        ] {
            assert!(!is_secret(name.as_bytes()), "{name}");
        }
    }
}
