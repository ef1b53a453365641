import type { ChatFormat } from 'deflector'

/** What of a chat format a vendor needs: any `ChatFormat` is one, and one that no client speaks may stop here. */
export type VendorFormat = Pick<
  ChatFormat,
  | 'name'
  | 'headers'
  | 'encodePrompt'
  | 'decodeAnswer'
  | 'streamDecoder'
  | 'foreign'
  | 'forModel'
  | 'streamForm'
  | 'toolNames'
>
