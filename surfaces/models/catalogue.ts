import type { VendorModel } from 'deflector'
import type { ModelChoice } from 'deflector/facets/model-routing'

/** One model as clients of every dialect may want it. */
export interface Model {
  readonly id: string
  readonly title: string
  /** Unix seconds. */
  readonly created: number
  /** Instance name of the provider, or `alias:<instance>`. */
  readonly owner: string
  readonly inputLimit?: number | undefined
  readonly outputLimit?: number | undefined
}

/** One provider of the chain, and the model that is its own; a local server may have none. */
interface Own {
  readonly owner: string
  readonly id: string | undefined
}

export interface Sources {
  readonly own: readonly Own[]
  readonly aliases: Readonly<Record<string, string>>
  /** What the vendors list themselves, by instance name. */
  readonly vendors: ReadonlyMap<string, readonly VendorModel[]>
  /** Which provider a name chooses; `undefined` for the primary. */
  readonly chosen: (id: string) => ModelChoice | undefined
  /** Unix seconds, for models of which nothing better is known. */
  readonly created: number
}

/**
 * The providers' own models in the order of the chain, the aliases, what else those stand for, and the vendors' lists. A
 * vendor's model bears the name by which clients get it there: behind that of its provider, where it alone would choose
 * another one.
 */
export function catalogue({ own, aliases, vendors, chosen, created }: Sources): Map<string, Model> {
  const models = new Map<string, Model>()
  const add = (id: string, owner: string, known: VendorModel | undefined = listed(vendors, owner, id)): void => {
    if (!models.has(id)) models.set(id, modelOf(id, owner, created, known))
  }
  // A model that no provider has as its own is asked of the primary, unless its name chooses another.
  const primary = own[0]?.owner ?? 'deflector'
  const ownerOf = (id: string): string => chosen(id)?.provider ?? primary
  for (const { id, owner } of own) if (id) add(id, owner)
  for (const [alias, target] of Object.entries(aliases)) {
    add(alias, `alias:${own.find(({ id }) => id === target)?.owner ?? ownerOf(target)}`)
  }
  for (const target of Object.values(aliases)) add(target, ownerOf(target))
  for (const [owner, list] of vendors)
    for (const model of list) add(ownerOf(model.id) === owner ? model.id : `${owner}/${model.id}`, owner, model)
  return models
}

/** A model that is not listed, but would be asked for under this name. */
export function unlisted(id: string, { own, vendors, chosen, created }: Sources): Model | undefined {
  const choice = chosen(id)
  const owner = choice?.provider ?? own[0]?.owner
  if (owner === undefined) return undefined
  return modelOf(id, owner, created, listed(vendors, owner, choice?.model ?? id))
}

const listed = (vendors: Sources['vendors'], owner: string, id: string): VendorModel | undefined =>
  vendors.get(owner)?.find(model => model.id === id)

const modelOf = (id: string, owner: string, created: number, known?: VendorModel): Model => ({
  id,
  title: known?.title ?? id,
  created: known?.created ?? created,
  owner,
  inputLimit: known?.inputLimit,
  outputLimit: known?.outputLimit,
})
