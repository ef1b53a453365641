import { type KeyedSetting, settingsIn } from '../../api/settings.ts'
import { addressOf, useFilter } from '../../shell/place.ts'
import { Choice } from '../../ui/choice.tsx'
import type { Drafts } from './drafts.ts'
import { SettingRow } from './setting-row.tsx'
import type { Config } from './settings.ts'
import { type Problems, problemsOf } from './use-check.ts'

interface SettingsProps {
  readonly config: Config
  readonly drafts: Drafts
  readonly problems: Problems
}

const SHOWN = { all: 'All', changed: 'Changed' } as const

/** Those with an editor of their own. */
const RULES = ['model_aliases', 'model_routes', 'classifier_routing.rules', 'classifier_routing.matrix'] as const

/** Every setting, by section, and a search over names and words. */
export function SettingsView({ config, drafts, problems }: SettingsProps) {
  const [query = '', setQuery] = useFilter('q')
  const [given, setShown] = useFilter('show')
  const which = given === 'changed' ? 'changed' : 'all'
  const all = settingsIn(config.settings)
  const wanted = all.filter(
    setting => fits(setting, query) && (which === 'all' || setting.source !== 'default' || drafts.has(setting.key)),
  )
  const sections = [...new Set(wanted.map(({ section }) => section))]
  return (
    <>
      <div className="settings-tools">
        <input
          type="search"
          aria-label="Search settings"
          placeholder="Search names and descriptions"
          value={query}
          onChange={event => setQuery(event.target.value || undefined)}
        />
        <Choice
          label="Which settings"
          options={SHOWN}
          chosen={which}
          choose={one => setShown(one === 'all' ? undefined : one)}
        />
        <span className="muted small" role="status">
          {wanted.length === all.length ? `${all.length} settings` : `${wanted.length} of ${all.length} settings`}
        </span>
      </div>
      {wanted.length === 0 && (
        <p className="empty">
          {query === ''
            ? 'Every setting has its default.'
            : `No setting has “${query}” in its name, description, section or values.`}
        </p>
      )}
      <div className="settings">
        <nav aria-label="Sections" className="sections">
          {sections.map(section => (
            <button key={section} type="button" className="quiet" onClick={() => goTo(section)}>
              {section}
            </button>
          ))}
        </nav>
        <div>
          {sections.map(section => (
            <section key={section} className="section" id={idOf(section)} tabIndex={-1} aria-label={section}>
              <h2>{section}</h2>
              <ul>
                {wanted
                  .filter(one => one.section === section)
                  .map(setting => (
                    <SettingRow
                      // What was saved, by whomever, closes its editor; a draft keeps it open.
                      key={`${setting.key} ${config.revision}`}
                      setting={setting}
                      draft={drafts.get(setting.key)}
                      problems={problemsOf(problems, setting.key)}
                      running={runningOf(config, setting.key)}
                      elsewhere={
                        RULES.some(key => key === setting.key)
                          ? { name: 'Models', href: addressOf('configuration', { view: 'models' }) }
                          : undefined
                      }
                    />
                  ))}
              </ul>
            </section>
          ))}
        </div>
      </div>
    </>
  )
}

/** All words of a query, in the name, the description, the section, a variable, or a value to choose. */
function fits({ key, doc, section, variables, schema }: KeyedSetting, query: string): boolean {
  const text = [key, doc, section, ...variables, ...(schema.enum ?? [])].join(' ').toLowerCase()
  return query
    .toLowerCase()
    .split(/\s+/)
    .every(word => text.includes(word))
}

function runningOf({ waiting }: Config, key: string): { readonly value: unknown } | undefined {
  const found = waiting.find(one => one.key === key)
  return found && { value: found.running }
}

const idOf = (section: string): string => `section-${section.toLowerCase().replaceAll(/\W+/g, '-')}`

function goTo(section: string): void {
  const element = document.getElementById(idOf(section))
  element?.scrollIntoView()
  element?.focus({ preventScroll: true })
}
