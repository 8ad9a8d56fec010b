import { KitError } from '@vertical-kit/ui-client'
import { expect, test } from 'vitest'
import { createForm, valueAt } from '../../web/form/form.ts'

const values = { name: 'a', lines: [{ price: '1' }, { price: '2' }] }

const refusal = (errors: { path: string; message: string }[]) =>
  new KitError({ code: 'request.invalid', status: 400, errors })

test('setting a nested value of a form changes only that value and removes its error', async () => {
  const form = createForm(values)
  const errors = [
    { path: 'fields.lines.1.price', message: 'expected an amount' },
    { path: 'name', message: 'is required' },
  ]
  expect(await form.submit(() => Promise.reject(refusal(errors)))).toBeNull()
  expect([...form.$state.get().errors.keys()]).toEqual(['lines.1.price', 'name'])
  form.set('lines.1.price', '3')
  const state = form.$state.get()
  expect(state.values).toEqual({ name: 'a', lines: [{ price: '1' }, { price: '3' }] })
  expect([...state.errors.keys()]).toEqual(['name'])
  expect(valueAt(state.values, 'lines.1.price')).toBe('3')
  expect(values.lines[1]?.price).toBe('2')
})

test('errors and typed texts stay with their lines when a line is added or removed', () => {
  const form = createForm(values)
  const typing = { name: 'acm', 'lines.0.itemId': 'bolt', 'lines.1.itemId': 'nut' }
  form.restore(values, new Map(Object.entries(typing)))
  form.refuse('lines', 'is required')
  form.refuse('lines.1.price', 'is missing')
  form.addLine('lines', { price: '3' })
  const added = form.$state.get()
  expect(added.values.lines).toEqual([{ price: '1' }, { price: '2' }, { price: '3' }])
  expect([...added.errors.keys()]).toEqual(['lines.1.price'])
  expect(Object.fromEntries(added.typing)).toEqual(typing)
  form.removeLine('lines', 0)
  const removed = form.$state.get()
  expect(removed.values.lines).toEqual([{ price: '2' }, { price: '3' }])
  expect([...removed.errors.keys()]).toEqual(['lines.0.price'])
  expect(Object.fromEntries(removed.typing)).toEqual({ name: 'acm', 'lines.0.itemId': 'nut' })
})

test('a form ignores a second submission while the first is in progress, and is clean after success', async () => {
  const form = createForm(values)
  form.set('name', 'b')
  const answer = Promise.withResolvers<string>()
  const first = form.submit(() => answer.promise)
  expect(form.$state.get().isSaving).toBe(true)
  expect(await form.submit(() => Promise.resolve('again'))).toBeNull()
  answer.resolve('taken')
  expect(await first).toBe('taken')
  expect(form.$state.get()).toMatchObject({ isSaving: false, isDirty: false, values: { name: 'b' } })
})

test('input during a submission stays in the form and counts as unsaved', async () => {
  const form = createForm(values)
  form.set('name', 'b')
  const answer = Promise.withResolvers<string>()
  const sent = form.submit(() => answer.promise)
  form.set('name', 'c')
  answer.resolve('taken')
  await sent
  expect(form.$state.get()).toMatchObject({ isDirty: true, values: { name: 'c' } })
})

test("a refusal without field errors becomes the form's problem, and other errors propagate", async () => {
  const form = createForm(values)
  const unavailable = new KitError({ code: 'service.unavailable', status: 503 })
  expect(await form.submit(() => Promise.reject(unavailable))).toBeNull()
  expect(form.$state.get()).toMatchObject({ problem: unavailable, isSaving: false })
  await expect(form.submit(() => Promise.reject(new TypeError('a fault')))).rejects.toThrow('a fault')
  expect(form.$state.get().isSaving).toBe(false)
})
