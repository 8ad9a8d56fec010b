import { AttachmentsError } from '@vertical-kit/attachments'
import { CoreError } from '@vertical-kit/core-audit'
import { DocumentActionsError, lifecycleCodes } from '@vertical-kit/document-actions'
import { NotesError } from '@vertical-kit/notes'
import { WorkCenterError } from '@vertical-kit/work-center'
import { describe, expect, it } from 'vitest'
import type { Texts } from '../src/elements/texts.ts'
import { de } from '../src/locales/de.ts'
import { en } from '../src/locales/en.ts'
import { es } from '../src/locales/es.ts'
import { fr } from '../src/locales/fr.ts'
import { it as itTexts } from '../src/locales/it.ts'
import { pl } from '../src/locales/pl.ts'

const packs: Readonly<Record<string, Texts>> = { de, es, fr, it: itTexts, pl }

/** Every error code that a user can meet, except those of commands for operators. */
const errorCodes = [AttachmentsError, CoreError, DocumentActionsError, NotesError, WorkCenterError].flatMap(
  ({ table }) => Object.keys(table),
)

/** Texts that other languages share with English. */
const shared: Readonly<Record<string, readonly string[]>> = {
  de: ['Status: 21 → 22'],
  es: ['No', 'Roles'],
  fr: ['Actions', 'Information', 'Messages', 'Note', 'Notes', 'Notification', 'Notifications', 'Versions'],
  it: ['File', 'No'],
}

type Text = string | ((...args: never[]) => string)

/** Returns all texts of a pack by their path, such as `notes.title`. */
function textsIn(value: object, path = ''): readonly (readonly [string, Text])[] {
  return Object.entries(value).flatMap(([name, part]: [string, unknown]) => {
    const at = path === '' ? name : `${path}/${name}`
    return typeof part === 'object' && part !== null ? textsIn(part, at) : [[at, part as Text] as const]
  })
}

const counts = { openTaskCount: 21, overdueTaskCount: 22, unreadNotificationCount: 23 }
const batch = { status: 'done', verb: 'claim', changedCount: 21, failedCount: 22, isUndoable: true }

/** The parameters of texts that take neither numbers nor texts. The others get numbers, which are also shown. */
const parametersOf: Readonly<Record<string, readonly unknown[]>> = {
  'actions/roles': [['21', '22']],
  'administration/action': ['21.one_two'],
  'administration/resource': ['21.one_two'],
  'workCenter/batchDone': [batch],
  'workCenter/counts': [counts],
}
const itemParameters = { actor: '21', title: '22', recipient: '23' }

const shown = (path: string, text: Text, ...args: readonly unknown[]): string =>
  typeof text === 'string' ? text : text(...((parametersOf[path] ?? args) as never[]))

const numbersIn = (text: string): readonly string[] => [...new Set(text.match(/\d+/g))].toSorted()

const ofCodes = /^(errors|items|service)\//
const english = new Map(textsIn(en).filter(([path]) => !ofCodes.test(path)))

describe.each(Object.entries(packs))('the texts in %s', (language, pack) => {
  const own = new Map(textsIn(pack).filter(([path]) => !ofCodes.test(path)))

  it('are those of the English texts', () => {
    expect([...own.keys()].toSorted()).toEqual([...english.keys()].toSorted())
    expect(pack.locale).toBe(language)
  })

  it('name all codes of the kit', () => {
    expect(Object.keys(pack.errors)).toEqual(
      expect.arrayContaining([...errorCodes, ...Object.keys(en.errors)]),
    )
    expect(Object.keys(pack.service.actions)).toEqual([...lifecycleCodes])
    const codesOf = ({ errors, items, service }: Texts) =>
      textsIn({ errors, items, service }).map(([path]) => path)
    expect(codesOf(pack)).toEqual(codesOf(de))
  })

  it('are translated', () => {
    const same = [...own]
      .filter(([path]) => path !== 'locale')
      .map(([path, text]) => [path, shown(path, text, 21, 22, 23)] as const)
      .filter(([path, text]) => {
        const before = english.get(path)
        return before !== undefined && shown(path, before, 21, 22, 23) === text
      })
      .filter(([, text]) => /\p{L}{2}/u.test(text) && !shared[language]?.includes(text))
      // The name of an unknown code, and the name of the product.
      .filter(([path]) => !/^administration\/(action|resource|release)$/.test(path))
    expect(same.map(([path, text]) => `${path}: ${text}`)).toEqual([])
  })

  it('name each button with its visible text', () => {
    const { actions, attachments, audit, common, feedback } = pack
    const names: readonly (readonly [name: string, visible: string])[] = [
      [actions.more, actions.moreShort],
      [attachments.cancelOf('x'), common.cancel],
      [attachments.dismissOf('x'), attachments.dismiss],
      [attachments.resumeOf('x'), attachments.resume],
      [attachments.retryOf('x'), common.retry],
      [audit.downloadOf('x'), audit.download],
      [feedback.undoOf('x'), feedback.undo],
    ]
    // Users of speech input say the visible text (WCAG 2.5.3).
    for (const [name, visible] of names) expect(name.toLowerCase()).toContain(visible.toLowerCase())
  })

  it('contain their parameters', () => {
    for (const [path, text] of own) {
      const before = english.get(path)
      if (typeof text === 'string' || before === undefined) continue
      for (const args of [
        [21, 22, 23],
        [2, 3, 4],
      ]) {
        const result = shown(path, text, ...args)
        expect(result.trim(), path).not.toBe('')
        expect({ [path]: numbersIn(result) }).toEqual({ [path]: numbersIn(shown(path, before, ...args)) })
      }
    }
    for (const [key, text] of Object.entries(pack.items)) {
      const result = text(itemParameters)
      expect(result, key).toContain('21')
      expect(result, key).toContain('22')
      if (/to_role|from_reader/.test(key)) expect(result, key).toContain('23')
    }
  })
})

it('the Polish texts use the plural forms of their counts', () => {
  const { attachments, team, workCenter } = pl
  const forms = (of: (count: number) => string) => [0, 1, 2, 5, 12, 22].map(of)
  expect(forms(attachments.deletedSeveral)).toEqual([
    'Usunięto 0 plików.',
    'Usunięto 1 plik.',
    'Usunięto 2 pliki.',
    'Usunięto 5 plików.',
    'Usunięto 12 plików.',
    'Usunięto 22 pliki.',
  ])
  expect(forms(workCenter.severalItems).at(-1)).toBe('22 elementy')
  expect(forms(workCenter.needAttention)[1]).toBe('1 element wymaga Twojej uwagi')
  expect(forms(workCenter.needAttention)[5]).toBe('22 elementy wymagają Twojej uwagi')
  expect(forms(team.recipients)[3]).toBe('5 odbiorców')
})

it('two languages name a single file as one', () => {
  expect(fr.attachments.selected(0)).toBe('0 fichier sélectionné')
  expect(de.attachments.selected(1)).toBe('1 Datei ausgewählt')
  expect(de.attachments.selected(2)).toBe('2 Dateien ausgewählt')
})
