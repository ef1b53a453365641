/** The members that hold the arguments of a tool call. */
export const ARGUMENTS: ReadonlySet<string> = new Set(['input'])

/** The same, and those that hold a schema. */
export const ARGUMENTS_AND_SCHEMAS: ReadonlySet<string> = new Set([...ARGUMENTS, 'input_schema', 'schema'])
