/** What the vendors of most dialects take as the name of a tool. */
export const PLAIN_TOOL_NAMES = /^[A-Za-z0-9_-]{1,64}$/
