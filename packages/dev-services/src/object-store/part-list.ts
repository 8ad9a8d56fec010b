import { XMLParser } from 'fast-xml-parser'
import { S3Error } from './errors.ts'

/** A part in the list of a completion. */
export interface ListedPart {
  readonly partNumber: number
  /** The ETag without quotes. */
  readonly etag: string
}

// The option `htmlEntities` also decodes numeric entities: some clients write the quotes of an ETag as `&#34;`.
const parser = new XMLParser({ parseTagValue: false, htmlEntities: true, isArray: (name) => name === 'Part' })

/** Parses the body of CompleteMultipartUpload. Throws `MalformedXML`, `InvalidPartOrder` or `NotImplemented`. */
export function parsePartList(xml: string): ListedPart[] {
  const entries: unknown = parse(xml)?.CompleteMultipartUpload?.Part
  if (!Array.isArray(entries)) throw malformedXml()
  const parts = entries.map(parsePart)
  const isAscending = parts.every(
    ({ partNumber }, index) => partNumber > (parts[index - 1]?.partNumber ?? Number.NEGATIVE_INFINITY),
  )
  if (!isAscending) {
    throw new S3Error('InvalidPartOrder', 'The list of parts was not in ascending order.')
  }
  return parts
}

function parse(xml: string) {
  try {
    return parser.parse(xml, true)
  } catch {
    throw malformedXml()
  }
}

function parsePart(entry: unknown): ListedPart {
  const { PartNumber, ETag, ...others } = Object(entry)
  if (typeof PartNumber !== 'string' || !/^\d{1,9}$/.test(PartNumber)) throw malformedXml()
  if (typeof ETag !== 'string') throw malformedXml()
  if (Object.keys(others).length > 0) {
    throw new S3Error('NotImplemented', 'The list can contain only the number and the ETag of a part.')
  }
  return { partNumber: Number(PartNumber), etag: ETag.replaceAll('"', '') }
}

function malformedXml(): S3Error {
  return new S3Error(
    'MalformedXML',
    'The XML you provided was not well-formed or did not validate against our published schema',
  )
}
