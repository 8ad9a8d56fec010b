import type { Texts } from '../../elements/texts.ts'
import { named } from '../named.ts'
import { pluralOf } from '../plural.ts'

const plural = pluralOf('it')
const people = (count: number): string => `${count} ${plural(count, ['persona', 'persone'])}`

export const administration: Texts['administration'] = {
  save: 'Salva',
  refresh: 'Aggiorna',
  filters: 'Filtri',

  users: 'Utenti',
  search: 'Cerca per nome, indirizzo e-mail o identificativo',
  show: 'Mostra',
  allUsers: 'Tutti gli utenti',
  activeUsers: 'Utenti attivi',
  inactiveUsers: 'Utenti disattivati',
  noUsers: 'Nessun utente corrisponde.',
  inactive: 'Disattivato',
  noRoles: 'Nessun ruolo',
  editRoles: 'Ruoli',
  rolesOf: (name) => `Ruoli di ${name}`,
  rolesSaved: (name) => `I ruoli di ${name} sono cambiati. Valgono dalla prossima richiesta.`,
  deactivate: 'Disattiva',
  deactivateTitle: (name) => `Disattivare ${name}?`,
  deactivateMessage:
    'Questa persona non potrà più usare l’applicazione dalla prossima richiesta. Il suo lavoro e i suoi ruoli vengono conservati.',
  reactivate: 'Riattiva',
  reactivateTitle: (name) => `Riattivare ${name}?`,
  reactivateMessage: 'Questa persona potrà usare di nuovo l’applicazione, con i ruoli che aveva.',
  deactivated: (name) => `L’account di ${name} è stato disattivato.`,
  reactivated: (name) => `L’account di ${name} è stato riattivato.`,
  invite: 'Invita una persona',
  subject: 'Identificativo',
  subjectHint:
    'Il nome utente o l’ID con cui il Suo servizio di accesso identifica questa persona (il claim «sub»).',
  name: 'Nome',
  email: 'Indirizzo e-mail (facoltativo)',
  sendInvitation: 'Invita',
  invited: (name) => `L’invito per ${name} è registrato. Ora questa persona può accedere.`,

  roles: 'Ruoli',
  noRolesYet: 'Non ci sono ruoli.',
  addRole: 'Aggiungi un ruolo',
  editRole: 'Modifica',
  editRoleOf: (name) => `Modifica ${name}`,
  code: 'Codice',
  codeHint:
    'Lettere minuscole e cifre, in parti separate da un punto, un trattino o un trattino basso, per esempio sales.clerk. Attività e token indicano il ruolo con questo codice.',
  description: 'Descrizione (facoltativa)',
  roleAdded: (name) => `${name} è stato aggiunto. Scelga le sue autorizzazioni.`,
  switchOff: 'Disattiva',
  switchOffTitle: (name) => `Disattivare ${name}?`,
  switchOffMessage: (count) =>
    count === 0
      ? 'Al momento nessuno ha questo ruolo. Potrà riattivarlo.'
      : `Non concede più nulla a ${people(count)}, dalla prossima richiesta. Potrà riattivarlo.`,
  switchedOffRole: (name) => `${name} è stato disattivato.`,
  switchOn: 'Attiva',
  switchOnTitle: (name) => `Attivare ${name}?`,
  switchOnMessage: (count) =>
    count === 0
      ? 'Al momento nessuno ha questo ruolo.'
      : `Concede le sue autorizzazioni a ${people(count)}, dalla prossima richiesta.`,
  switchedOnRole: (name) => `${name} è stato attivato.`,
  assignedTo: (count) => `Assegnato a ${people(count)}`,
  protected: 'Protetto',
  protectedReason:
    'Questo ruolo concede tutte le autorizzazioni, perché l’installazione lo definisce come ruolo di amministratore. Le sue autorizzazioni non possono essere modificate qui.',
  readOnly: 'Può vedere le autorizzazioni di questo ruolo, ma non è autorizzato a modificarle.',
  switchedOff: 'Disattivato',
  permissions: 'Autorizzazioni',
  resource: named({
    'system.attachments': 'Allegati',
    'system.audit': 'Cronologia',
    'system.notes': 'Note',
    'system.outbox': 'Posta in uscita',
    'system.permissions': 'Autorizzazioni',
    'system.roles': 'Ruoli',
    'system.users': 'Utenti',
    'system.work_center': 'Centro di lavoro',
  }),
  resourceColumn: 'Risorsa',
  action: named({
    create: 'Creare',
    delete: 'Eliminare',
    edit: 'Modificare',
    manage: 'Gestire',
    mark_for_deletion: 'Contrassegnare per l’eliminazione',
    post: 'Registrare',
    read: 'Leggere',
    repost: 'Registrare di nuovo',
    supervise: 'Supervisionare',
    unpost: 'Stornare la registrazione',
    update: 'Modificare',
    view: 'Vedere',
    view_audit: 'Vedere la cronologia',
  }),
  notRegistered: 'Concesso, ma sconosciuto a questa versione',
  unchanged: 'Nessuna modifica.',
  changeCount: (added, removed) =>
    `${added} ${plural(added, ['aggiunta', 'aggiunte'])}, ${removed} ${plural(removed, ['rimossa', 'rimosse'])}`,
  reset: 'Reimposta',
  review: 'Controlla e salva',
  reviewTitle: (name) => `Modificare ${name}?`,
  reviewMessage: (count) =>
    count === 0
      ? 'Al momento nessuno ha questo ruolo.'
      : `Riguarda ${people(count)}, dalla loro prossima richiesta.`,
  changes: 'Modifiche',
  adds: (permission) => `Aggiunge: ${permission}`,
  removes: (permission) => `Rimuove: ${permission}`,
  roleSaved: (name) => `Il ruolo ${name} è stato salvato.`,
  conflict:
    'Un altro amministratore ha modificato questo ruolo. Le Sue modifiche sono conservate e ora valgono per le autorizzazioni attuali. Le controlli e salvi di nuovo.',

  outbox: 'Posta in uscita',
  consumers: 'Consumatori',
  consumer: 'Consumatore',
  pending: 'In sospeso',
  oldest: 'Meno recente',
  dead: 'Non consegnati',
  deadLetters: 'Eventi non consegnati',
  noDeadLetters: 'Nessun evento non consegnato. Ogni evento è stato elaborato o lo sarà.',
  attempts: (count) => `${count} ${plural(count, ['tentativo', 'tentativi'])}`,
  deadSince: (time) => `Errore: ${time}`,
  heldBack: (count) =>
    `${count} ${plural(count, ['evento successivo attende', 'eventi successivi attendono'])}`,
  notEnded: 'L’ultimo tentativo non è terminato: il suo processo si è fermato o è stato troppo lento.',
  showAttempts: 'Tentativi',
  historyFailed: 'Impossibile caricare i tentativi.',
  outcomes: { completed: 'Completato', failed: 'Non riuscito', abandoned: 'Non terminato' },
  retry: 'Ripeti',
  retryTitle: 'Ripetere questo evento?',
  retryMessage:
    'Lo faccia quando la causa è stata eliminata. Gli eventi successivi dello stesso oggetto seguono in ordine.',
  retried: 'L’evento viene ripetuto.',
  discard: 'Scarta',
  discardTitle: 'Scartare questo evento?',
  discardMessage: (consumer) =>
    `${consumer} non elaborerà mai questo evento. Gli eventi successivi dello stesso oggetto proseguono. L’operazione non può essere annullata.`,
  discarded: 'L’evento è stato scartato.',
  reason: 'Motivo',
  reasonMissing: 'Indichi un motivo. Viene conservato nella cronologia.',
  reasonTooLong: 'Inserisca al massimo 1000 caratteri.',

  status: 'Stato del sistema',
  health: 'Integrità',
  part: 'Componente',
  state: 'Stato',
  states: { Healthy: 'Regolare', Degraded: 'Ridotto', Unhealthy: 'Guasto' },
  duration: 'Tempo di risposta',
  failed: 'Non riusciti',
  detail: 'Dettagli',
  features: 'Funzioni',
  feature: 'Funzione',
  featureGroup: 'Gruppo',
  on: 'Attiva',
  off: 'Non attiva',
  versions: 'Versioni',
  release: (title, version) => `${title}: Vertical Kit ${version}`,
}
