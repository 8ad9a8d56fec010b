import type { Texts } from '../elements/texts.ts'
import { administration } from './pl/administration.ts'
import { attachments, notes } from './pl/content.ts'
import { actions, audit, live } from './pl/documents.ts'
import { errors } from './pl/errors.ts'
import { items, service } from './pl/service.ts'
import { team, workCenter } from './pl/work-center.ts'

/** The Polish texts of all elements. */
export const pl: Texts = {
  locale: 'pl',
  common: {
    cancel: 'Anuluj',
    close: 'Zamknij',
    delete: 'Usuń',
    loading: 'Wczytywanie…',
    retry: 'Spróbuj ponownie',
    showMore: 'Pokaż więcej',
    loadFailed: 'Nie udało się wczytać tej zawartości.',
    moreFailed: 'Nie udało się wczytać kolejnych elementów.',
    requestId: (id) => `Kontaktując się z pomocą techniczną, podaj ten identyfikator żądania: ${id}`,
  },
  feedback: {
    title: 'Komunikaty',
    undo: 'Cofnij',
    undoOf: (text) => `Cofnij: ${text}`,
    dismissOf: (text) => `Zamknij: ${text}`,
    hint: 'Naciśnij F8, a potem Enter, aby cofnąć.',
  },
  preferences: {
    title: 'Ustawienia powiadomień',
    task: 'Zadanie',
    notification: 'Powiadomienie',
    mandatory: 'Tego nie można wyłączyć.',
    empty: 'Brak ustawień powiadomień.',
    emptyHint: 'Żadna z Twoich ról nie otrzymuje zadań ani powiadomień.',
    saving: 'Zapisywanie…',
    inApp: 'W aplikacji',
    byMail: 'E-mailem',
    mails: 'Wiadomości e-mail',
    delivery: 'Kiedy wysyłać wiadomości e-mail',
    immediately: 'Od razu',
    daily: 'Raz dziennie',
    dailyHour: 'Godzina codziennej wiadomości e-mail',
    timeZone: (name) => `Strefa czasowa: ${name}`,
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
