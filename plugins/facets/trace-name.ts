import { facet } from 'deflector'

/** How traces name a layer where they say which one answered. Default: its label. */
export const traceName = facet<string>('trace-name')
