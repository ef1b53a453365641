import { useAnswer } from '../../api/answers.ts'
import { settingsIn } from '../../api/settings.ts'
import type { Drafts } from './drafts.ts'
import { Matrix } from './matrix.tsx'
import { RecordList } from './record-list.tsx'
import { RuleTable } from './rule-table.tsx'
import type { Config } from './settings.ts'
import { type Problems, problemsOf } from './use-check.ts'

interface RulesProps {
  readonly config: Config
  readonly drafts: Drafts
  readonly problems: Problems
}

/** In place of a provider: the request stays on the machine. */
const LOCAL = 'local'

/** Which model a client means, and which provider gets it. */
export function RulesView({ config, drafts, problems }: RulesProps) {
  const chain = useAnswer('GET /api/admin/providers', {}, 0)
  const settings = new Map(settingsIn(config.settings).map(setting => [setting.key, setting]))
  const aliases = settings.get('model_aliases')
  const routes = settings.get('model_routes')
  const rules = settings.get('classifier_routing.rules')
  const matrix = settings.get('classifier_routing.matrix')
  const providers = chain.data?.providers.map(({ name }) => name) ?? []
  return (
    <>
      {aliases && (
        <RuleTable
          setting={aliases}
          draft={drafts.get(aliases.key)}
          problems={problemsOf(problems, aliases.key)}
          title="Aliases"
          words={{ from: 'Clients ask for', to: 'They get', add: 'Add an alias' }}
          about="An alias and its model share their cached answers. An alias of an alias is not followed."
          empty="Clients ask for models by their own names."
        />
      )}
      {routes && (
        <RuleTable
          setting={routes}
          draft={drafts.get(routes.key)}
          problems={problemsOf(problems, routes.key)}
          title="Routes"
          words={{ from: 'Model, or pattern', to: 'Provider', add: 'Add a route' }}
          about="* is any text and ? any character. The first pattern that fits counts; the primary provider gets all others."
          empty="The primary provider gets every model."
          ordered
          targets={providers}
        />
      )}
      {rules && (
        <RecordList
          setting={rules}
          draft={drafts.get(rules.key)}
          problems={problemsOf(problems, rules.key)}
          title="Classifier rules"
          about="A rule fits where all that it names does; the first that fits chooses provider, model, or both."
          empty="No rule looks at what a prompt is about."
          add="Add a rule"
          choices={{ provider: [...providers, LOCAL] }}
        />
      )}
      {matrix && (
        <Matrix
          setting={matrix}
          draft={drafts.get(matrix.key)}
          problems={problemsOf(problems, matrix.key)}
          title="Classifier matrix"
          about="Where a prompt goes, by how complex it is and what kind of task it is."
          words={{ row: 'complexity', column: 'task type' }}
        />
      )}
    </>
  )
}
