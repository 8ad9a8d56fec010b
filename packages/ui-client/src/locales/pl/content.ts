import type { Texts } from '../../elements/texts.ts'
import { pluralOf } from '../plural.ts'

const plural = pluralOf('pl')
const files = (count: number): string => `${count} ${plural(count, ['plik', 'pliki', 'plików'])}`
/** In the genitive, after “z”. */
const ofFiles = (count: number): string => `${count} ${plural(count, ['pliku', 'plików'])}`
const characters = (count: number): string => `${count} ${plural(count, ['znak', 'znaki', 'znaków'])}`

export const notes: Texts['notes'] = {
  title: 'Notatki',
  newNote: 'Nowa notatka',
  placeholder: 'Napisz notatkę… Znak @ pozwala wspomnieć o kimś.',
  add: 'Dodaj notatkę',
  edit: 'Edytuj',
  editOf: (author) => `Edytuj notatkę, autor: ${author}`,
  deleteOf: (author) => `Usuń notatkę, autor: ${author}`,
  save: 'Zapisz',
  saving: 'Zapisywanie…',
  saved: 'Notatka zapisana.',
  deleted: 'Notatka usunięta.',
  notDeleted: 'Notatka nie została usunięta.',
  notSaved: 'Notatka nie została zapisana. Jej tekst został zachowany.',
  discard: 'Odrzuć',
  showAll: 'Pokaż wszystko',
  showLess: 'Pokaż mniej',
  search: 'Szukaj w notatkach',
  found: (count, total) => `Pasujące notatki: ${count} z ${total}.`,
  foundSoFar: (count, searched) => `Pasujące notatki: ${count} z ${searched} najnowszych.`,
  noneFound: 'Żadna notatka nie pasuje.',
  searchOlder: 'Szukaj w starszych notatkach',
  remaining: (count) =>
    count < 0
      ? `Za długo o ${characters(-count)}`
      : `${plural(count, ['Pozostał', 'Pozostały', 'Pozostało'])} ${characters(count)}`,
  edited: 'edytowano',
  editedBy: (name) => `edycja: ${name}`,
  mention: 'Osoby, o których można wspomnieć',
  mentionHint: (count) =>
    `${count} ${plural(count, ['osoba', 'osoby', 'osób'])} do wyboru. Użyj klawiszy strzałek i klawisza Enter.`,
  empty: 'Nie ma jeszcze notatek.',
  emptyHint: 'Zapisz, o czym powinna wiedzieć następna osoba.',
  conflictTitle: 'Ta notatka została zmieniona podczas Twojej edycji.',
  deletedTitle: 'Ta notatka została usunięta podczas Twojej edycji.',
  theirs: (author) => `Wersja: ${author}`,
  mine: 'Twoja wersja',
  keepMine: 'Zapisz moją wersję',
  keepAsNew: 'Zapisz jako nową notatkę',
  takeTheirs: 'Odrzuć moją wersję',
}

export const attachments: Texts['attachments'] = {
  title: 'Załączniki',
  choose: 'Wybierz pliki',
  chooseHint: 'lub upuść albo wklej je tutaj.',
  dropHere: 'Upuść pliki tutaj.',
  folder: 'Nie można załączać folderów. Otwórz folder i dodaj jego pliki.',
  uploads: 'Przesyłanie',
  empty: 'Nie ma jeszcze plików.',
  allFiles: (count, size) => `${files(count)}, ${size}`,
  someFiles: (count, size) => `Widoczne: ${files(count)}, ${size}.`,
  moreFiles: 'Plików jest więcej.',
  search: 'Szukaj plików',
  noMatch: 'Żaden plik nie pasuje do wyszukiwania.',
  sort: 'Kolejność',
  sorts: {
    newest: 'Od najnowszych',
    oldest: 'Od najstarszych',
    name: 'Nazwa',
    size: 'Od największych',
    type: 'Typ',
  },
  selection: 'Wybrane pliki',
  selectAll: 'Zaznacz wszystko',
  selectOf: (name) => `Zaznacz: ${name}`,
  selected: (count) => `Zaznaczono: ${files(count)}`,
  queued: 'Oczekiwanie…',
  reserving: 'Przygotowywanie…',
  transferring: (sent, total) => `${sent} z ${total}`,
  verifying: 'Sprawdzanie…',
  scanning: 'Szukanie wirusów…',
  interrupted: 'To przesyłanie zostało przerwane.',
  resume: 'Wznów',
  uploaded: (count, of) => `Przesłano ${count} z ${ofFiles(of)}`,
  allUploads: 'Całe przesyłanie',
  cancelAll: 'Anuluj wszystko',
  retryAll: 'Ponów wszystko',
  progressOf: (name) => `Przesyłanie: ${name}`,
  cancelOf: (name) => `Anuluj przesyłanie: ${name}`,
  dismiss: 'Ukryj',
  dismissOf: (name) => `Ukryj przesyłanie: ${name}`,
  resumeOf: (name) => `Wznów przesyłanie: ${name}`,
  retryOf: (name) => `Spróbuj ponownie przesłać: ${name}`,
  arrived: (name) => `Przesłano plik ${name}.`,
  tooLarge: (max) => `Plik jest zbyt duży. Limit to ${max}.`,
  tooMany: (max) => `Osiągnięto limit plików: ${max}. Usuń jeden z nich i spróbuj ponownie.`,
  download: 'Pobierz',
  downloadAll: 'Pobierz wszystko',
  archiveName: 'Załączniki.zip',
  packing: (count, of) => `Pobrano ${count} z ${ofFiles(of)}`,
  packingProgress: 'Pobieranie plików',
  cancelDownload: 'Anuluj pobieranie',
  notDownloaded: (count, of) =>
    count === of
      ? 'Nie udało się pobrać żadnego pliku:'
      : `W pobranym archiwum brakuje ${count} z ${ofFiles(of)}:`,
  missingName: 'BRAKUJĄCE PLIKI.txt',
  missing: 'Nie udało się pobrać tych plików:',
  downloadOf: (name) => `Pobierz ${name}`,
  deleteOf: (name) => `Usuń ${name}`,
  deleted: (name) => `Usunięto plik ${name}.`,
  notDeleted: (name) => `Plik ${name} nie został usunięty.`,
  deletedSeveral: (count) => `Usunięto ${files(count)}.`,
  deleteSelected: 'Usuń',
  confirmDeleteSeveral: (count) => `Usunąć ${files(count)}?`,
  confirmDeleteSeveralMessage: (names) =>
    `Te pliki znikną dla wszystkich: ${names}. Nadal będzie można je pobrać z historii.`,
  sameName: (count) =>
    count === 1 ? 'Plik o tej nazwie już istnieje' : `Istnieją już pliki o tych nazwach: ${count}`,
  sameNameMessage: (names) =>
    `${names}. Jeśli zachowasz oba, nowy plik otrzyma numer. Jeśli anulujesz, nie zostanie przesłany.`,
  keepBoth: 'Zachowaj oba',
  running: (count, of, percent) => `Przesłano ${count} z ${ofFiles(of)}, ${percent}`,
  stopped: (count) => `${plural(count, ['Zatrzymany', 'Zatrzymane', 'Zatrzymanych'])}: ${files(count)}`,
  uploadsOf: (name, others) => (others === 0 ? name : `${name} i jeszcze ${others}`),
}
