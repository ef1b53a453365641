import type { Tab } from './place.ts'

const PATHS: Readonly<Record<Tab, string>> = {
  overview: 'M3 17h4v-6H3zm6.5 0h4V4h-4zm6.5 0h1V8h-1z',
  providers: 'M4 5h12M4 10h12M4 15h12M4 5v10',
  usage: 'M3 16 8 10l3 3 6-8M3 16h14',
  requests: 'M4 4h12v12H4zM7 8h6M7 12h4',
  configuration: 'M3 6h8M15 6h2M3 14h2M9 14h8M13 4v4M7 12v4',
}

/** The sign of a tab; its name stands beside it. */
export const Icon = ({ name }: { readonly name: Tab }) => (
  <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true" className="icon">
    <path
      d={PATHS[name]}
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      strokeLinecap="round"
      strokeLinejoin="round"
    />
  </svg>
)
