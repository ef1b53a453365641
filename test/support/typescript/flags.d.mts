export const SOURCES: readonly string[]
