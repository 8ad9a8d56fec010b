import manifest from '@vertical-kit/ui-client/custom-elements.json' with { type: 'json' }
import { expect, test } from 'vitest'

interface Names {
  readonly attributes?: string
  readonly properties: string
  readonly methods?: string
  readonly events?: string
  readonly slots?: string
  readonly parts: string
}

interface Declared {
  readonly name: string
}

interface Element {
  readonly tagName: string
  readonly attributes: readonly Declared[]
  readonly members: readonly (Declared & { readonly kind: string })[]
  readonly events: readonly Declared[]
  readonly slots: readonly Declared[]
  readonly cssParts: readonly Declared[]
}

/** The public names of all elements. Removing or renaming one of them breaks pages. */
const names: Readonly<Record<string, Names>> = {
  'vk-attachments': {
    properties: 'session target',
    events: 'vk-done vk-open',
    slots: 'empty heading',
    parts:
      'button button-danger button-primary checkbox dialog drop-zone empty error field heading link list loading notice progress row row-actions row-details row-title toolbar',
  },
  'vk-audit-timeline': {
    attributes: 'all-objects',
    properties: 'allObjects filters session target',
    events: 'vk-navigate vk-view-changed',
    slots: 'actions empty heading',
    parts: 'button change empty error field heading link list loading row row-details row-title text toolbar',
  },
  'vk-document-actions': {
    attributes: 'document-id document-type',
    properties: 'collectPayload documentId documentType icons session',
    events: 'vk-done vk-executed vk-navigate',
    slots: 'actions',
    parts: 'button button-danger button-primary dialog error field heading loading menu notice toolbar',
  },
  'vk-document-batch': {
    attributes: 'document-type',
    properties: 'actions documentType selection session',
    events: 'vk-batch-clear vk-batch-done',
    slots: 'actions',
    parts: 'button button-danger button-primary dialog error field heading progress toolbar',
  },
  'vk-follow': {
    properties: 'session target',
    parts: 'button error',
  },
  'vk-live-object': {
    properties: 'session target',
    events: 'vk-show',
    parts: 'button notice',
  },
  'vk-notes': {
    attributes: 'autofocus max-chars',
    properties: 'maxChars session target',
    methods: 'focus',
    events: 'vk-done vk-navigate',
    slots: 'empty heading',
    parts:
      'button button-primary empty error field form heading link list loading mention menu notice row row-actions row-details row-title text toolbar',
  },
  'vk-outbox': {
    properties: 'session',
    events: 'vk-done',
    slots: 'empty heading',
    parts:
      'badge button button-danger button-primary dialog empty error field heading list loading row row-actions row-details row-title table',
  },
  'vk-preferences': {
    properties: 'session',
    slots: 'empty heading',
    parts: 'button checkbox empty error field group loading row row-details row-title',
  },
  'vk-roles': {
    properties: 'hasUnsavedChanges session',
    events: 'vk-done',
    slots: 'empty heading',
    parts:
      'badge button button-danger button-primary checkbox dialog empty error field heading list loading notice row row-details row-title table',
  },
  'vk-status': {
    properties: 'session',
    slots: 'heading',
    parts: 'badge button error heading loading table',
  },
  'vk-substitution': {
    properties: 'session',
    slots: 'heading',
    parts: 'button button-primary error field form loading',
  },
  'vk-take-action': {
    attributes: 'about action-code document-id document-type label',
    properties: 'about actionCode collectPayload documentId documentType label session',
    methods: 'isExecuting take',
    events: 'vk-done vk-executed',
    parts: 'button button-danger button-primary dialog error field heading notice',
  },
  'vk-team-tasks': {
    attributes: 'claimed-by sort view',
    properties: 'claimedBy session sort view',
    events: 'vk-done vk-navigate vk-view-changed',
    slots: 'actions empty heading',
    parts:
      'badge button button-danger button-primary checkbox dialog empty error field heading link list loading row row-actions row-details row-title toolbar',
  },
  'vk-toasts': {
    properties: 'session',
    parts: 'button list toast',
  },
  'vk-uploads': {
    properties: 'session',
    events: 'vk-uploads-open',
    parts: 'button error menu',
  },
  'vk-users': {
    properties: 'hasUnsavedChanges session',
    events: 'vk-done',
    slots: 'actions empty heading',
    parts:
      'badge button button-danger button-primary checkbox dialog empty error field form group heading list loading row row-actions row-details row-title toolbar',
  },
  'vk-work-center': {
    attributes: 'density layout no-shortcuts sort tab vertical',
    properties: 'collectPayload density filters layout noShortcuts session sort tab vertical',
    events: 'vk-done vk-executed vk-navigate vk-view-changed',
    slots: 'actions empty empty-attention empty-completed empty-notifications empty-tasks heading',
    parts:
      'badge button button-danger button-primary checkbox chip count dialog empty error field heading link list loading notice row row-actions row-details row-title tab tabs toolbar',
  },
  'vk-work-center-badge': {
    attributes: 'vertical',
    properties: 'session vertical',
    parts: 'button count',
  },
  'vk-your-tasks': {
    attributes: 'document-id document-type',
    properties: 'collectPayload documentId documentType session',
    events: 'vk-done vk-executed',
    parts: 'button button-danger button-primary dialog error field heading list notice row',
  },
}

const shown = (items: readonly Declared[]) => items.map(({ name }) => name).join(' ')

test('the elements have exactly these attributes, properties, methods, events, slots and parts', () => {
  const modules: readonly { readonly declarations: readonly Element[] }[] = manifest.modules
  const elements = modules.flatMap(({ declarations }) => declarations)
  const found = elements.map(({ tagName, attributes, members, events, slots, cssParts }) => {
    const lists = {
      attributes: shown(attributes),
      properties: shown(members.filter(({ kind }) => kind === 'field')),
      methods: shown(members.filter(({ kind }) => kind === 'method')),
      events: shown(events),
      slots: shown(slots),
      parts: shown(cssParts),
    }
    return [tagName, Object.fromEntries(Object.entries(lists).filter(([, list]) => list !== ''))]
  })
  expect(Object.fromEntries(found)).toEqual(names)
})

test('the parts and slots of all elements have about 40 names', () => {
  const all = Object.values(names).flatMap(({ parts, slots = '' }) => `${parts} ${slots}`.trim().split(' '))
  expect(new Set(all).size).toBe(38)
})
