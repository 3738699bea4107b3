; Assignments as the grammar sees them. The lowering reads assignments from the scanner's side table.
(variable_assignment) @assignment
(variable_assignment name: (_) @assignment.name)
(variable_assignment value: (_) @assignment.value)
