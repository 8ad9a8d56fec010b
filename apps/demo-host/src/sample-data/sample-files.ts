import type { SampleFile } from './sample-client.ts'

/** Creates a text file. */
export function sampleText(fileName: string, lines: readonly string[]): SampleFile {
  return { fileName, contentType: 'text/plain', bytes: Buffer.from(`${lines.join('\n')}\n`) }
}

/**
 * Creates a PDF with one page that shows `line`. The line must be ASCII text without parentheses and backslashes.
 * @see ISO 32000-1 §7.5 describes the file structure: objects, a table of their offsets, and a trailer
 */
export function samplePdf(fileName: string, line: string): SampleFile {
  const drawing = `BT /F1 18 Tf 72 770 Td (${line}) Tj ET`
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${drawing.length} >>\nstream\n${drawing}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ]
  let text = '%PDF-1.4\n'
  const offsets = objects.map((object, index) => {
    const offset = text.length
    text += `${index + 1} 0 obj\n${object}\nendobj\n`
    return offset
  })
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const trailer = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}${trailer}`
  return { fileName, contentType: 'application/pdf', bytes: Buffer.from(text, 'latin1') }
}
