/** The members that hold the arguments of a tool call, where they are no text but the object itself. */
export const ARGUMENTS: ReadonlySet<string> = new Set(['arguments', 'input'])

/** The same, and those that hold a schema. */
export const ARGUMENTS_AND_SCHEMAS: ReadonlySet<string> = new Set([
  ...ARGUMENTS,
  'parameters',
  'input_schema',
  'schema',
])
