import type { Texts } from '../../elements/texts.ts'
import { pluralOf } from '../plural.ts'

const plural = pluralOf('es')
const files = (count: number): string => `${count} ${plural(count, ['archivo', 'archivos'])}`
const agree = (count: number, word: string): string => plural(count, [word, `${word}s`])

export const notes: Texts['notes'] = {
  title: 'Notas',
  newNote: 'Nueva nota',
  placeholder: 'Escriba una nota… @ menciona a alguien.',
  add: 'Añadir nota',
  edit: 'Editar',
  editOf: (author) => `Editar la nota de ${author}`,
  deleteOf: (author) => `Eliminar la nota de ${author}`,
  save: 'Guardar',
  saving: 'Guardando…',
  saved: 'Nota guardada.',
  deleted: 'Nota eliminada.',
  notDeleted: 'La nota no se ha eliminado.',
  discard: 'Descartar',
  showAll: 'Mostrar todo',
  showLess: 'Mostrar menos',
  search: 'Buscar en las notas',
  found: (count, total) => `${count} de ${total} notas ${plural(count, ['coincide', 'coinciden'])}.`,
  foundSoFar: (count, searched) =>
    `${count} de las ${searched} notas más recientes ${plural(count, ['coincide', 'coinciden'])}.`,
  noneFound: 'Ninguna nota coincide.',
  searchOlder: 'Buscar en notas anteriores',
  remaining: (count) =>
    count < 0
      ? `${-count} ${plural(-count, ['carácter', 'caracteres'])} de más`
      : `${plural(count, ['Queda', 'Quedan'])} ${count} ${plural(count, ['carácter', 'caracteres'])}`,
  edited: 'editada',
  editedBy: (name) => `editada por ${name}`,
  mention: 'Personas que puede mencionar',
  mentionHint: (count) =>
    `${count} ${agree(count, 'persona')} para mencionar. Use las flechas, y Entrar para elegir.`,
  empty: 'Todavía no hay notas.',
  emptyHint: 'Anote lo que debe saber la siguiente persona.',
  conflictTitle: 'Otra persona ha cambiado esta nota mientras usted la editaba.',
  deletedTitle: 'Esta nota se ha eliminado mientras usted la editaba.',
  theirs: (author) => `Versión de ${author}`,
  mine: 'Su versión',
  keepMine: 'Guardar mi versión',
  keepAsNew: 'Guardar como nota nueva',
  takeTheirs: 'Descartar mi versión',
}

export const attachments: Texts['attachments'] = {
  title: 'Archivos adjuntos',
  choose: 'Elegir archivos',
  chooseHint: 'o suéltelos o péguelos aquí.',
  dropHere: 'Suelte los archivos aquí.',
  folder: 'No se pueden adjuntar carpetas. Abra la carpeta y añada sus archivos.',
  uploads: 'Subidas',
  empty: 'Todavía no hay archivos.',
  allFiles: (count, size) => `${files(count)}, ${size}`,
  someFiles: (count, size) => `${files(count)} ${agree(count, 'mostrado')}, ${size}.`,
  moreFiles: 'Hay más archivos.',
  search: 'Buscar archivos',
  noMatch: 'Ningún archivo coincide con la búsqueda.',
  sort: 'Orden',
  sorts: {
    newest: 'Más recientes primero',
    oldest: 'Más antiguos primero',
    name: 'Nombre',
    size: 'Más grandes primero',
    type: 'Tipo',
  },
  selection: 'Archivos seleccionados',
  selectAll: 'Seleccionar todo',
  selectOf: (name) => `Seleccionar ${name}`,
  selected: (count) => `${files(count)} ${agree(count, 'seleccionado')}`,
  queued: 'En espera…',
  reserving: 'Preparando…',
  transferring: (sent, total) => `${sent} de ${total}`,
  verifying: 'Comprobando…',
  scanning: 'Buscando malware…',
  interrupted: 'Esta subida se ha interrumpido.',
  resume: 'Reanudar',
  uploaded: (count, of) => `${count} de ${files(of)} ${agree(count, 'subido')}`,
  allUploads: 'Todas las subidas',
  cancelAll: 'Cancelar todo',
  retryAll: 'Intentar todo de nuevo',
  progressOf: (name) => `Subiendo ${name}`,
  cancelOf: (name) => `Cancelar la subida de ${name}`,
  dismiss: 'Ocultar',
  dismissOf: (name) => `Ocultar la subida de ${name}`,
  resumeOf: (name) => `Reanudar la subida de ${name}`,
  retryOf: (name) => `Intentar de nuevo: subir ${name}`,
  arrived: (name) => `${name} se ha subido.`,
  tooLarge: (max) => `El archivo es demasiado grande. El límite es de ${max}.`,
  tooMany: (max) => `Se ha alcanzado el límite de ${max} archivos. Elimine uno e inténtelo de nuevo.`,
  download: 'Descargar',
  downloadAll: 'Descargar todo',
  archiveName: 'Archivos adjuntos.zip',
  packing: (count, of) => `${count} de ${files(of)} ${agree(count, 'descargado')}`,
  packingProgress: 'Descarga de los archivos',
  cancelDownload: 'Cancelar la descarga',
  notDownloaded: (count, of) =>
    count === of
      ? 'No se ha podido descargar ningún archivo:'
      : `${plural(count, ['Falta', 'Faltan'])} ${count} de ${files(of)} en la descarga:`,
  missingName: 'ARCHIVOS QUE FALTAN.txt',
  missing: 'No se han podido descargar estos archivos:',
  downloadOf: (name) => `Descargar ${name}`,
  deleteOf: (name) => `Eliminar ${name}`,
  deleted: (name) => `${name} se ha eliminado.`,
  notDeleted: (name) => `${name} no se ha eliminado.`,
  deletedSeveral: (count) => `${files(count)} ${agree(count, 'eliminado')}.`,
  deleteSelected: 'Eliminar',
  confirmDeleteSeveral: (count) => `¿Eliminar ${files(count)}?`,
  confirmDeleteSeveralMessage: (names) =>
    `Se eliminarán para todos: ${names}. Se podrán seguir descargando desde el historial.`,
  sameName: (count) =>
    count === 1 ? 'Ya existe un archivo con este nombre' : `Ya existen ${count} archivos con estos nombres`,
  sameNameMessage: (names) =>
    `${names}. Si conserva ambos, el archivo nuevo recibe un número. Si cancela, no se sube.`,
  keepBoth: 'Conservar ambos',
  running: (count, of, percent) => `${count} de ${files(of)} ${agree(count, 'subido')}, ${percent}`,
  stopped: (count) => `${count} ${agree(count, 'subida')} ${agree(count, 'detenida')}`,
  uploadsOf: (name, others) => (others === 0 ? name : `${name} y ${others} más`),
}
