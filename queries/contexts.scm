; Where commands stand.
(subshell) @context.subshell
(compound_statement "{") @context.group
(compound_statement "((") @context.test
(if_statement) @context.if
(while_statement) @context.while
(for_statement "for") @context.for
(for_statement "select") @context.select
(c_style_for_statement) @context.for
(case_statement) @context.case
(case_item) @context.case_item
(function_definition) @context.function
(pipeline) @context.pipeline
(list) @context.list
(negated_command) @context.negated
(test_command) @context.test
(command_substitution) @context.command_substitution
(process_substitution) @context.process_substitution

; Whole statements that `&` ends.
"&" @context.background

; Between commands.
["&&" "||" ";" "|" "|&"] @operator
