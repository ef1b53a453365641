import { type ComponentType, useEffect, useSyncExternalStore } from 'react'
import { useFreshness } from './api/answers.ts'
import { session, watchSession } from './api/session-key.ts'
import { type Tab, usePlace } from './shell/place.ts'
import { Shell } from './shell/shell.tsx'
import { SignIn } from './shell/sign-in.tsx'
import { titles } from './shell/titles.ts'
import { ConfigurationTab } from './tabs/configuration/configuration-tab.tsx'
import { OverviewTab } from './tabs/overview/overview-tab.tsx'
import { ProvidersTab } from './tabs/providers/providers-tab.tsx'
import { RequestsTab } from './tabs/requests/requests-tab.tsx'
import { UsageTab } from './tabs/usage/usage-tab.tsx'

const SCREENS: Readonly<Record<Tab, ComponentType>> = {
  overview: OverviewTab,
  providers: ProvidersTab,
  usage: UsageTab,
  requests: RequestsTab,
  configuration: ConfigurationTab,
}

/** The whole page: the sign-in where the gateway wants a key, else the tab that the address names. */
export function App() {
  const { tab } = usePlace()
  const { key, refusal } = useSyncExternalStore(watchSession, session)
  useFreshness()
  useEffect(() => {
    document.title = `${titles[tab]} · deflector`
  }, [tab])
  if (refusal !== undefined) return <SignIn refusal={refusal} />
  const Screen = SCREENS[tab]
  return (
    <Shell tab={tab} signedIn={key !== undefined}>
      <Screen />
    </Shell>
  )
}
