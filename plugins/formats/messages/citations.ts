import { type Citation, isObject, type JsonObject } from 'deflector'

/** What a text block or a `citations_delta` cites, whatever kind of source it is. */
export function readCitation(citation: unknown): Citation | undefined {
  if (!isObject(citation)) return undefined
  const { url, source, title, document_title: document, cited_text: quote } = citation
  const address = [url, source].find(each => typeof each === 'string' && URL.canParse(each))
  const name = [title, document].find(each => typeof each === 'string')
  return {
    ...(typeof address === 'string' && { url: address }),
    ...(typeof name === 'string' && { title: name }),
    ...(typeof quote === 'string' && { quote }),
  }
}

/** What a page found by another vendor is marked with, so that it never goes to this format's own vendor. */
const NO_INDEX = ''

/** This format cites whole blocks. A source without an address has no form here. */
export const writeCitation = ({ url, title, quote }: Citation): JsonObject | undefined =>
  url === undefined
    ? undefined
    : {
        type: 'web_search_result_location',
        url,
        title: title ?? null,
        cited_text: quote ?? '',
        encrypted_index: NO_INDEX,
      }

export const isForeignCitation = (citation: unknown): boolean =>
  isObject(citation) && citation.encrypted_index === NO_INDEX
