import type { Texts } from '../elements/texts.ts'
import { administration } from './it/administration.ts'
import { attachments, notes } from './it/content.ts'
import { actions, audit, live } from './it/documents.ts'
import { errors } from './it/errors.ts'
import { items, service } from './it/service.ts'
import { team, workCenter } from './it/work-center.ts'

/** The Italian texts of all elements. */
export const it: Texts = {
  locale: 'it',
  common: {
    cancel: 'Annulla',
    close: 'Chiudi',
    delete: 'Elimina',
    loading: 'Caricamento…',
    retry: 'Riprova',
    showMore: 'Mostra altro',
    loadFailed: 'Impossibile caricare il contenuto.',
    moreFailed: 'Impossibile caricare altri elementi.',
    requestId: (id) => `Se contatta l’assistenza, indichi questo ID della richiesta: ${id}`,
  },
  feedback: {
    title: 'Messaggi',
    undo: 'Annulla',
    undoOf: (text) => `Annulla l’operazione: ${text}`,
    dismissOf: (text) => `Chiudi: ${text}`,
    hint: 'Prema F8, poi Invio, per annullare.',
  },
  preferences: {
    title: 'Preferenze di notifica',
    task: 'Attività',
    notification: 'Notifica',
    mandatory: 'Non può essere disattivata.',
    empty: 'Non ha preferenze di notifica.',
    emptyHint: 'Nessuno dei Suoi ruoli riceve attività o notifiche.',
    saving: 'Salvataggio…',
    inApp: 'Nell’applicazione',
    byMail: 'Per e-mail',
    mails: 'E-mail',
    delivery: 'Invio delle e-mail',
    immediately: 'Subito',
    daily: 'Una volta al giorno',
    dailyHour: 'Ora dell’e-mail giornaliera',
    timeZone: (name) => `Fuso orario: ${name}`,
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
