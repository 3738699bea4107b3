; Simple commands. In a skeleton every word is a placeholder, so only the structure counts.
(command) @command
(command name: (command_name) @command.name)
(command argument: (_) @command.argument)

; Builtins to which the grammar gives kinds of their own.
(declaration_command) @command
(declaration_command ["declare" "typeset" "export" "readonly" "local"] @command.name)
(unset_command) @command
(unset_command ["unset" "unsetenv"] @command.name)
