; Redirects as the grammar sees them. The lowering reads redirects from the scanner's side table.
(file_redirect) @redirect
(file_redirect destination: (_) @redirect.target)
(heredoc_redirect) @redirect
(heredoc_body) @redirect.heredoc
(herestring_redirect) @redirect
(herestring_redirect (_) @redirect.herestring)
