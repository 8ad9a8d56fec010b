import type { Texts } from '../elements/texts.ts'
import { administration } from './de/administration.ts'
import { attachments, notes } from './de/content.ts'
import { actions, audit, live } from './de/documents.ts'
import { errors } from './de/errors.ts'
import { items, service } from './de/service.ts'
import { team, workCenter } from './de/work-center.ts'

/** The German texts of all elements. */
export const de: Texts = {
  locale: 'de',
  common: {
    cancel: 'Abbrechen',
    close: 'Schließen',
    delete: 'Löschen',
    loading: 'Wird geladen…',
    retry: 'Erneut versuchen',
    showMore: 'Mehr anzeigen',
    loadFailed: 'Der Inhalt konnte nicht geladen werden.',
    moreFailed: 'Weitere Einträge konnten nicht geladen werden.',
    requestId: (id) => `Wenn Sie sich an den Support wenden, geben Sie diese Anfrage-ID an: ${id}`,
  },
  feedback: {
    title: 'Meldungen',
    undo: 'Rückgängig',
    undoOf: (text) => `Rückgängig machen: ${text}`,
    dismissOf: (text) => `Schließen: ${text}`,
    hint: 'Drücken Sie F8, dann die Eingabetaste, um dies rückgängig zu machen.',
  },
  preferences: {
    title: 'Benachrichtigungseinstellungen',
    task: 'Aufgabe',
    notification: 'Benachrichtigung',
    mandatory: 'Dies kann nicht ausgeschaltet werden.',
    empty: 'Sie haben keine Benachrichtigungseinstellungen.',
    emptyHint: 'Keine Ihrer Rollen erhält Aufgaben oder Benachrichtigungen.',
    saving: 'Wird gespeichert…',
    inApp: 'In der Anwendung',
    byMail: 'Per E-Mail',
    mails: 'E-Mails',
    delivery: 'Versand der E-Mails',
    immediately: 'Sofort',
    daily: 'Einmal täglich',
    dailyHour: 'Uhrzeit der täglichen E-Mail',
    timeZone: (name) => `Zeitzone: ${name}`,
  },
  actions,
  administration,
  attachments,
  audit,
  errors,
  items,
  live,
  notes,
  service,
  team,
  workCenter,
}
