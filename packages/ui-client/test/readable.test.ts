import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { formatValue, isLong, readable, readableReference } from '../src/elements/audit-timeline/readable.ts'
import { setTexts } from '../src/elements/texts.ts'
import { en } from '../src/locales/en.ts'

beforeEach(() => setTexts({ locale: 'en-GB' }))
afterEach(() => setTexts({ locale: null }))

describe('the timeline', () => {
  it.each([
    ['trade.payment_applied', 'Payment applied'],
    ['fields.dueDate', 'Due date'],
    ['fields.sku2Code', 'Sku2 code'],
    ['mark-for-deletion', 'Mark for deletion'],
    ['text', 'Text'],
    ['', ''],
  ])('shows the code or path "%s" as "%s"', (code, expected) => {
    expect(readable(code)).toBe(expected)
  })

  it.each([
    [null, '—'],
    ['', '—'],
    [[], '—'],
    [true, 'Yes'],
    [false, 'No'],
    [0, '0'],
    ['12.50', '12.50'],
    ['<img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>'],
    ['two\nlines', 'two\nlines'],
    ['2027-01-31', '31 Jan 2027'],
    ['2027-13-99', '2027-13-99'],
    ['2027-01-31 is the day', '2027-01-31 is the day'],
    [['a', 'b'], 'a\nb'],
    [[{ itemId: 'x', unitPrice: '1.00' }], 'Item id: x, Unit price: 1.00'],
    [{ nested: { isOpen: null } }, 'Nested: Is open: —'],
  ])('shows the value %j as %j', (value, expected) => {
    expect(formatValue(value, en.audit)).toBe(expected)
  })

  it('shows the names of ids, and fields without "id"', () => {
    const references = { 'id-1': { display: 'Adler & Co', target: null } }
    const shown = (value: unknown) => formatValue(value, en.audit, references)
    expect(shown('id-1')).toBe('Adler & Co')
    expect(shown('id-2')).toBe('id-2')
    expect(shown('toString')).toBe('toString')
    expect(shown([{ customerId: 'id-1', itemId: 'id-2' }])).toBe('Customer: Adler & Co, Item id: id-2')
    expect(readableReference('fields.customerId')).toBe('Customer')
    expect(readableReference('fields.paid')).toBe('Paid')
  })

  it('shows an instant as date and time', () => {
    expect(formatValue('2027-01-31T10:20:30.000Z', en.audit)).toMatch(/31 Jan 2027.* \d\d:\d\d/)
  })

  it.each([
    ['x'.repeat(280), false],
    ['x'.repeat(281), true],
    ['1\n2\n3\n4', false],
    ['1\n2\n3\n4\n5', true],
  ])('shortens only texts with more than 280 characters or more than 4 lines', (text, expected) => {
    expect(isLong(text)).toBe(expected)
  })
})
