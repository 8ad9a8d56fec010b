import { readFile } from 'node:fs/promises'
import { crc32 } from 'node:zlib'

/** Returns the files of an archive without compression, by name, after comparing their checksums. Reads the central directory (APPNOTE 4.3.12). */
export async function zipEntries(path: string): Promise<Readonly<Record<string, Buffer>>> {
  const zip = await readFile(path)
  const end = zip.lastIndexOf(Buffer.from('PK\x05\x06'))
  const entries: Record<string, Buffer> = {}
  let at = zip.readUInt32LE(end + 16)
  for (let count = zip.readUInt16LE(end + 10); count > 0; count -= 1) {
    if (zip.readUInt16LE(at + 10) !== 0) throw new Error('The entry is compressed')
    const size = zip.readUInt32LE(at + 24)
    const nameLength = zip.readUInt16LE(at + 28)
    const extraLength = zip.readUInt16LE(at + 30)
    const header = zip.readUInt32LE(at + 42)
    const start = header + 30 + zip.readUInt16LE(header + 26) + zip.readUInt16LE(header + 28)
    const content = zip.subarray(start, start + size)
    if (crc32(content) !== zip.readUInt32LE(at + 16)) throw new Error('The content is damaged')
    entries[zip.toString('utf8', at + 46, at + 46 + nameLength)] = content
    at += 46 + nameLength + extraLength + zip.readUInt16LE(at + 32)
  }
  return entries
}
