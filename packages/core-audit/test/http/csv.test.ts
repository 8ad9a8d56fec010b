import { expect, test } from 'vitest'
import { csvLine } from '../../src/http/csv.ts'

test.each<[readonly string[], string]>([
  [['a', 'b'], 'a,b\r\n'],
  [['', ''], ',\r\n'],
  [['a,b', 'a"b', 'a\nb', 'a\r\nb'], '"a,b","a""b","a\nb","a\r\nb"\r\n'],
  [['=1+1', '+1', '-1', '@x'], "'=1+1,'+1,'-1,'@x\r\n"],
  [['\tx', '\rx'], `'\tx,"'\rx"\r\n`],
  [['=a,b'], `"'=a,b"\r\n`],
  [['a=b', ' =b', "'=b"], "a=b, =b,'=b\r\n"],
])('the cells %j become the line %j', (cells, line) => {
  expect(csvLine(cells)).toBe(line)
})
