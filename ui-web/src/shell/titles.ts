import type { Tab } from './place.ts'

/** Names of the tabs, as people read them. */
export const titles: Readonly<Record<Tab, string>> = {
  overview: 'Overview',
  providers: 'Providers',
  usage: 'Usage',
  requests: 'Request log',
  configuration: 'Configuration',
}
