/** As it stands in the names of the vendor's hosts: `bedrock-runtime.eu-west-1.amazonaws.com`. */
const REGION = /\.([a-z]{2,}(?:-[a-z]+)+-\d)\./
/** An endpoint that is a service of its own. */
const SERVICE = /(?:^|\.)(bedrock-mantle)\./

/** What a signature is good for. */
export interface Scope {
  readonly region: string
  readonly service: string
}

/** The scope of a URL, in the `given` region where one is given; `undefined` where none is known. */
export function scopeOf(url: string, given: string | undefined): Scope | undefined {
  const { host } = new URL(url)
  const region = given ?? REGION.exec(host)?.[1]
  return region === undefined ? undefined : { region, service: SERVICE.exec(host)?.[1] ?? 'bedrock' }
}
