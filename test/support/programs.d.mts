export function isInstalled(name: string): boolean
export function install(name: string): Promise<void>
export function missingLine(name: string): string
export function missingIn(output: string): string | undefined
