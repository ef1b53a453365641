import { stem } from '../words/stem.ts'

/** Verbs that are grammar elsewhere. */
export const CONTENT_VERBS = new Set('like need want know tell show give own let have get love'.split(' '))
/** Makes a passive of the participle behind it. */
export const BE = new Set('is are was were be been being am get got gets getting'.split(' '))
export const PARTICIPLE =
  /^(?:[a-z]{2,}ed|hit|hurt|paid|bought|sold|sent|given|taken|seen|told|built|made|stolen|beaten|bitten|eaten|chosen|written|owned|left|kept|held|caught|taught|found)$/

/** `succeeded` loses one ending to become `succeed`, which loses another. */
export const root = (stemmed: string): string => stem(stemmed).replace(/e$/, '')
