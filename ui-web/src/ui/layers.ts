/** Layers as the screens name and colour them. The gateway says `l1a`, `L1a_ExactCache` or `L1a` for the same. */

interface LayerLook {
  readonly name: string
  /** Colour, as a variable of `tokens.css`. */
  readonly colour: string
}

const LOOKS: Readonly<Record<string, LayerLook>> = {
  l1a: { name: 'Exact cache', colour: '--series-1' },
  l1b: { name: 'Semantic cache', colour: '--series-2' },
  l2: { name: 'Local model', colour: '--series-3' },
  l3: { name: 'Cloud', colour: '--series-rest' },
  l0: { name: 'Admission', colour: '--series-bad' },
  l0_5: { name: 'Classifier', colour: '--series-rest' },
  l2_5: { name: 'Optimiser', colour: '--series-rest' },
}

/** The label in a name of a layer: `l2_5` in `L2_5_ContextOptimiser`. */
export function labelOf(layer: string): string {
  return /^l\d[a-z]?(?:_\d)?(?![a-z\d])/i.exec(layer)?.[0].toLowerCase() ?? layer
}

export const layerName = (layer: string): string => LOOKS[labelOf(layer)]?.name ?? layer
export const layerColour = (layer: string): string => LOOKS[labelOf(layer)]?.colour ?? '--series-3'

/** What the gateway answers itself before any layer is asked, such as a count of tokens. */
export const ANSWERED_HERE: LayerLook = { name: 'Answered here', colour: '--series-3' }
const REFUSED: LayerLook = { name: 'Refused', colour: '--series-bad' }

/** Where a request ended, as lists show it. */
export function endLook(layer: string, status: number): LayerLook {
  if (labelOf(layer) === 'l0') return status > 0 && status < 400 ? ANSWERED_HERE : REFUSED
  return { name: layerName(layer), colour: layerColour(layer) }
}

/** From the client to the cloud. */
export const LAYER_ORDER: readonly string[] = Object.keys(LOOKS).toSorted()
