import { loadSettings } from '../../config/load.ts'
import { settingsTable, shownSettings } from '../../config/show.ts'

/** `deflector config show`: every setting, its value and the source of the value. */
export function configShow({ json }: { readonly json?: boolean }): void {
  const shown = shownSettings(loadSettings({ cwd: process.cwd(), env: process.env }))
  const text = json
    ? JSON.stringify(
        shown.map(one => ({ ...one, value: one.value ?? null })),
        null,
        2,
      )
    : settingsTable(shown)
  process.stdout.write(`${text}\n`)
}
