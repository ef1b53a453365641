/** Flags with which a process of a test runs the sources. */
export const SOURCES = ['--conditions', 'development', '--import', new URL('register.mjs', import.meta.url).href]
