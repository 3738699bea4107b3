use std::io::BufRead;
use stanchion::shell::{read, query::Queries, model::*};
fn show(c:&Cooked)->String{match c{Cooked::Exact(b)=>format!("{:?}",String::from_utf8_lossy(b)),o=>format!("{o:?}")}}
fn compat(w:&Word,t:&str)->bool{ w.values().any(|v| match v{Cooked::Exact(b)=>b==t.as_bytes(),Cooked::Affix{head,tail}=>t.as_bytes().starts_with(head)&&t.as_bytes().ends_with(tail),_=>true})}
fn main(){ let q=Queries::shipped();
 if let Some(cmd)=std::env::args().nth(1){ let s=read(cmd.as_bytes(),q); println!("{}",String::from_utf8_lossy(&stanchion::shell::skeleton(cmd.as_bytes()))); for c in &s.commands{println!("{:?} {:?} certain={} [{}] as={} rd={}",c.span,s.chain(c),c.certain,c.words.iter().map(|w|show(&w.value)+&w.alternatives.iter().map(|a|format!("|{}",show(a))).collect::<String>()).collect::<Vec<_>>().join(" "),c.assignments.len(),c.redirects.len());} for o in &s.opaque{println!("opaque {o:?}")} for o in &s.items{println!("item {o:?}")} return;}
 let f=std::fs::File::open("/work/shared/cases/grammar.jsonl").unwrap(); let(mut miss,mut opq,mut n)=(0,0,0);
 for l in std::io::BufReader::new(f).lines(){ let v:serde_json::Value=serde_json::from_str(&l.unwrap()).unwrap(); let cmd=v["command"].as_str().unwrap(); n+=1;
  let s=read(cmd.as_bytes(),q); let mut bad=vec![]; for e in v["executed"].as_array().unwrap(){ let argv:Vec<&str>=e.as_array().unwrap().iter().map(|x|x.as_str().unwrap()).collect();
   let ok=s.commands.iter().any(|c| {let inexact=c.words.iter().any(|w|w.exact().is_none()); !c.words.is_empty() && compat(&c.words[0],argv[0]) && (inexact || (c.words.len()==argv.len() && c.words.iter().zip(&argv).all(|(w,a)|compat(w,a))))}); if !ok{bad.push(argv)} }
  if !s.opaque.is_empty(){opq+=1; println!("OPQ {cmd:?} {:?}",s.opaque.iter().map(|o|o.reason).collect::<Vec<_>>());} else if !bad.is_empty(){miss+=1; println!("MISS {cmd:?} {bad:?}")} }
 println!("{n} miss {miss} opaque {opq}"); }
