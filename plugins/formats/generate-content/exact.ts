/** The members that hold what a tool takes and gives. */
export const TOOL_JSON: ReadonlySet<string> = new Set(['args', 'response'])

const SCHEMAS = ['parameters', 'parametersJsonSchema', 'responseSchema', 'responseJsonSchema', '_responseJsonSchema']

const snake = (name: string): string => name.replace(/(?<=.)[A-Z]/g, letter => `_${letter.toLowerCase()}`)

/** The same, and those that hold a schema, in both spellings. */
export const TOOL_JSON_AND_SCHEMAS: ReadonlySet<string> = new Set([...TOOL_JSON, ...SCHEMAS, ...SCHEMAS.map(snake)])
