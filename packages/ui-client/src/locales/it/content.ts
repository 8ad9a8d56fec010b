import type { Texts } from '../../elements/texts.ts'
import { pluralOf } from '../plural.ts'

const plural = pluralOf('it')
const files = (count: number): string => `${count} file`

export const notes: Texts['notes'] = {
  title: 'Note',
  newNote: 'Nuova nota',
  placeholder: 'Scriva una nota… @ menziona qualcuno.',
  add: 'Aggiungi nota',
  edit: 'Modifica',
  editOf: (author) => `Modifica la nota di ${author}`,
  deleteOf: (author) => `Elimina la nota di ${author}`,
  save: 'Salva',
  saving: 'Salvataggio…',
  saved: 'Nota salvata.',
  deleted: 'Nota eliminata.',
  notDeleted: 'La nota non è stata eliminata.',
  notSaved: 'La nota non è stata salvata. Il suo testo è conservato.',
  discard: 'Scarta',
  showAll: 'Mostra tutto',
  showLess: 'Mostra meno',
  search: 'Cerca nelle note',
  found: (count, total) => `${count} di ${total} note ${plural(count, ['corrisponde', 'corrispondono'])}.`,
  foundSoFar: (count, searched) =>
    `${count} delle ${searched} note più recenti ${plural(count, ['corrisponde', 'corrispondono'])}.`,
  noneFound: 'Nessuna nota corrisponde.',
  searchOlder: 'Cerca nelle note precedenti',
  remaining: (count) =>
    count < 0
      ? `${-count} ${plural(-count, ['carattere', 'caratteri'])} di troppo`
      : `${count} ${plural(count, ['carattere rimanente', 'caratteri rimanenti'])}`,
  edited: 'modificata',
  editedBy: (name) => `modificata da ${name}`,
  mention: 'Persone da menzionare',
  mentionHint: (count) =>
    `${count} ${plural(count, ['persona', 'persone'])} da menzionare. Usi i tasti freccia e Invio per scegliere.`,
  empty: 'Ancora nessuna nota.',
  emptyHint: 'Annoti ciò che la prossima persona deve sapere.',
  conflictTitle: 'Questa nota è stata modificata mentre Lei la stava modificando.',
  deletedTitle: 'Questa nota è stata eliminata mentre Lei la stava modificando.',
  theirs: (author) => `Versione di ${author}`,
  mine: 'La Sua versione',
  keepMine: 'Salva la mia versione',
  keepAsNew: 'Salva come nuova nota',
  takeTheirs: 'Scarta la mia versione',
}

export const attachments: Texts['attachments'] = {
  title: 'Allegati',
  choose: 'Scegli file',
  chooseHint: 'oppure trascinarli o incollarli qui.',
  dropHere: 'Rilasci i file qui.',
  folder: 'Le cartelle non possono essere allegate. Apra la cartella e aggiunga i suoi file.',
  uploads: 'Caricamenti',
  empty: 'Ancora nessun file.',
  allFiles: (count, size) => `${files(count)}, ${size}`,
  someFiles: (count, size) => `${files(count)} ${plural(count, ['visualizzato', 'visualizzati'])}, ${size}.`,
  moreFiles: 'Ci sono altri file.',
  search: 'Cerca file',
  noMatch: 'Nessun file corrisponde alla ricerca.',
  sort: 'Ordine',
  sorts: {
    newest: 'Prima i più recenti',
    oldest: 'Prima i meno recenti',
    name: 'Nome',
    size: 'Prima i più grandi',
    type: 'Tipo',
  },
  selection: 'File selezionati',
  selectAll: 'Seleziona tutto',
  selectOf: (name) => `Seleziona ${name}`,
  selected: (count) => `${files(count)} ${plural(count, ['selezionato', 'selezionati'])}`,
  queued: 'In attesa…',
  reserving: 'Preparazione…',
  transferring: (sent, total) => `${sent} di ${total}`,
  verifying: 'Controllo…',
  scanning: 'Ricerca di malware…',
  interrupted: 'Questo caricamento è stato interrotto.',
  resume: 'Riprendi',
  uploaded: (count, of) => `${count} di ${files(of)} ${plural(count, ['caricato', 'caricati'])}`,
  allUploads: 'Tutti i caricamenti',
  cancelAll: 'Annulla tutto',
  retryAll: 'Riprova tutto',
  progressOf: (name) => `Caricamento di ${name}`,
  cancelOf: (name) => `Annulla il caricamento di ${name}`,
  dismiss: 'Nascondi',
  dismissOf: (name) => `Nascondi il caricamento di ${name}`,
  resumeOf: (name) => `Riprendi il caricamento di ${name}`,
  retryOf: (name) => `Riprova a caricare ${name}`,
  arrived: (name) => `${name} è stato caricato.`,
  tooLarge: (max) => `Il file è troppo grande. Il limite è ${max}.`,
  tooMany: (max) => `È stato raggiunto il limite di ${max} file. Ne elimini uno e riprovi.`,
  download: 'Scarica',
  downloadAll: 'Scarica tutto',
  archiveName: 'Allegati.zip',
  packing: (count, of) => `${count} di ${files(of)} ${plural(count, ['scaricato', 'scaricati'])}`,
  packingProgress: 'Download dei file',
  cancelDownload: 'Annulla il download',
  notDownloaded: (count, of) =>
    count === of
      ? 'Impossibile scaricare i file:'
      : `Nel download ${plural(count, ['manca', 'mancano'])} ${count} di ${files(of)}:`,
  missingName: 'FILE MANCANTI.txt',
  missing: 'Impossibile scaricare questi file:',
  downloadOf: (name) => `Scarica ${name}`,
  deleteOf: (name) => `Elimina ${name}`,
  deleted: (name) => `${name} è stato eliminato.`,
  notDeleted: (name) => `${name} non è stato eliminato.`,
  deletedSeveral: (count) =>
    `${files(count)} ${plural(count, ['è stato eliminato', 'sono stati eliminati'])}.`,
  deleteSelected: 'Elimina',
  confirmDeleteSeveral: (count) => `Eliminare ${files(count)}?`,
  confirmDeleteSeveralMessage: (names) =>
    `Verranno rimossi per tutti: ${names}. Resteranno scaricabili dalla cronologia.`,
  sameName: (count) =>
    count === 1 ? 'Esiste già un file con questo nome' : `Esistono già ${count} file con questi nomi`,
  sameNameMessage: (names) =>
    `${names}. Se li conserva entrambi, il nuovo file riceve un numero. Se annulla, non viene caricato.`,
  keepBoth: 'Conserva entrambi',
  running: (count, of, percent) =>
    `${count} di ${files(of)} ${plural(count, ['caricato', 'caricati'])}, ${percent}`,
  stopped: (count) => `${count} ${plural(count, ['caricamento interrotto', 'caricamenti interrotti'])}`,
  uploadsOf: (name, others) =>
    others === 0 ? name : others === 1 ? `${name} e un altro` : `${name} e altri ${others}`,
}
