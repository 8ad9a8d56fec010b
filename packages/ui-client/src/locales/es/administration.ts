import type { Texts } from '../../elements/texts.ts'
import { named } from '../named.ts'
import { pluralOf } from '../plural.ts'

const plural = pluralOf('es')
const people = (count: number): string => `${count} ${plural(count, ['persona', 'personas'])}`

export const administration: Texts['administration'] = {
  save: 'Guardar',
  refresh: 'Actualizar',
  filters: 'Filtros',

  users: 'Usuarios',
  search: 'Buscar por nombre, correo o identificador',
  show: 'Mostrar',
  allUsers: 'Todos los usuarios',
  activeUsers: 'Usuarios activos',
  inactiveUsers: 'Usuarios desactivados',
  noUsers: 'Ningún usuario coincide.',
  inactive: 'Desactivado',
  noRoles: 'Sin roles',
  editRoles: 'Roles',
  rolesOf: (name) => `Roles de ${name}`,
  rolesSaved: (name) => `Los roles de ${name} han cambiado. Se aplican desde la próxima solicitud.`,
  deactivate: 'Desactivar',
  deactivateTitle: (name) => `¿Desactivar a ${name}?`,
  deactivateMessage:
    'Esta persona no podrá usar la aplicación desde la próxima solicitud. Su trabajo y sus roles se conservan.',
  reactivate: 'Reactivar',
  reactivateTitle: (name) => `¿Reactivar a ${name}?`,
  reactivateMessage: 'Esta persona podrá usar de nuevo la aplicación, con los roles que tenía.',
  deactivated: (name) => `Se ha desactivado a ${name}.`,
  reactivated: (name) => `Se ha reactivado a ${name}.`,
  invite: 'Invitar a una persona',
  subject: 'Identificador',
  subjectHint:
    'El nombre de usuario o el id con el que su servicio de inicio de sesión identifica a esta persona (el claim «sub»).',
  name: 'Nombre',
  email: 'Correo electrónico (opcional)',
  sendInvitation: 'Invitar',
  invited: (name) => `Se ha invitado a ${name}. Ya puede iniciar sesión.`,

  roles: 'Roles',
  noRolesYet: 'No hay roles.',
  addRole: 'Añadir un rol',
  editRole: 'Editar',
  editRoleOf: (name) => `Editar ${name}`,
  code: 'Código',
  codeHint:
    'Letras minúsculas y cifras, en partes separadas por un punto, un guion o un guion bajo, por ejemplo sales.clerk. Las tareas y los tokens nombran el rol con este código.',
  description: 'Descripción (opcional)',
  roleAdded: (name) => `${name} se ha añadido. Elija sus permisos.`,
  switchOff: 'Desactivar',
  switchOffTitle: (name) => `¿Desactivar ${name}?`,
  switchOffMessage: (count) =>
    count === 0
      ? 'Nadie tiene este rol en este momento. Puede activarlo de nuevo.'
      : `Deja de conceder permisos a ${people(count)}, desde la próxima solicitud. Puede activarlo de nuevo.`,
  switchedOffRole: (name) => `${name} se ha desactivado.`,
  switchOn: 'Activar',
  switchOnTitle: (name) => `¿Activar ${name}?`,
  switchOnMessage: (count) =>
    count === 0
      ? 'Nadie tiene este rol en este momento.'
      : `Concede sus permisos a ${people(count)}, desde la próxima solicitud.`,
  switchedOnRole: (name) => `${name} se ha activado.`,
  assignedTo: (count) => `Asignado a ${people(count)}`,
  protected: 'Protegido',
  protectedReason:
    'Este rol concede todos los permisos, porque la instalación lo define como rol de administrador. Sus permisos no se pueden cambiar aquí.',
  readOnly: 'Puede ver los permisos de este rol, pero no tiene permiso para cambiarlos.',
  switchedOff: 'Desactivado',
  permissions: 'Permisos',
  resource: named({
    'system.attachments': 'Archivos adjuntos',
    'system.audit': 'Historial',
    'system.notes': 'Notas',
    'system.outbox': 'Bandeja de salida',
    'system.permissions': 'Permisos',
    'system.roles': 'Roles',
    'system.users': 'Usuarios',
    'system.work_center': 'Centro de trabajo',
  }),
  resourceColumn: 'Recurso',
  action: named({
    create: 'Crear',
    delete: 'Eliminar',
    edit: 'Editar',
    manage: 'Gestionar',
    mark_for_deletion: 'Marcar para eliminación',
    post: 'Contabilizar',
    read: 'Leer',
    repost: 'Contabilizar de nuevo',
    supervise: 'Supervisar',
    unpost: 'Anular contabilización',
    update: 'Modificar',
    view: 'Ver',
    view_audit: 'Ver el historial',
  }),
  notRegistered: 'Concedido, pero desconocido en esta versión',
  unchanged: 'Sin cambios.',
  changeCount: (added, removed) =>
    `${added} ${plural(added, ['añadido', 'añadidos'])}, ${removed} ${plural(removed, ['quitado', 'quitados'])}`,
  reset: 'Restablecer',
  review: 'Revisar y guardar',
  reviewTitle: (name) => `¿Cambiar ${name}?`,
  reviewMessage: (count) =>
    count === 0
      ? 'Actualmente nadie tiene este rol.'
      : `Esto afecta a ${people(count)}, desde su próxima solicitud.`,
  changes: 'Cambios',
  adds: (permission) => `Añade: ${permission}`,
  removes: (permission) => `Quita: ${permission}`,
  roleSaved: (name) => `Se ha guardado ${name}.`,
  conflict:
    'Otro administrador ha cambiado este rol. Sus cambios se conservan y ahora se aplican a los permisos actuales. Revíselos y guarde de nuevo.',

  outbox: 'Bandeja de salida',
  consumers: 'Consumidores',
  consumer: 'Consumidor',
  pending: 'Pendientes',
  oldest: 'Más antiguo',
  dead: 'No entregados',
  deadLetters: 'Eventos no entregados',
  noDeadLetters: 'No hay eventos sin entregar. Todos los eventos se han procesado o se procesarán.',
  attempts: (count) => `${count} ${plural(count, ['intento', 'intentos'])}`,
  deadSince: (time) => `Error: ${time}`,
  heldBack: (count) =>
    `${count} ${plural(count, ['evento posterior espera', 'eventos posteriores esperan'])}`,
  notEnded: 'El último intento no terminó: su proceso se detuvo o fue demasiado lento.',
  showAttempts: 'Intentos',
  historyFailed: 'No se han podido cargar los intentos.',
  outcomes: { completed: 'Completado', failed: 'Con error', abandoned: 'Sin terminar' },
  retry: 'Reintentar',
  retryTitle: '¿Reintentar este evento?',
  retryMessage:
    'Hágalo cuando se haya corregido la causa. Los eventos posteriores del mismo objeto siguen en orden.',
  retried: 'El evento se está reintentando.',
  discard: 'Descartar',
  discardTitle: '¿Descartar este evento?',
  discardMessage: (consumer) =>
    `${consumer} nunca procesará este evento. Los eventos posteriores del mismo objeto continúan. Esto no se puede deshacer.`,
  discarded: 'El evento se ha descartado.',
  reason: 'Motivo',
  reasonMissing: 'Indique un motivo. Quedará en el historial.',
  reasonTooLong: 'Introduzca como máximo 1000 caracteres.',

  status: 'Estado del sistema',
  health: 'Salud',
  part: 'Componente',
  state: 'Estado',
  states: { Healthy: 'Correcto', Degraded: 'Degradado', Unhealthy: 'Con fallos' },
  duration: 'Tiempo de respuesta',
  failed: 'Con error',
  detail: 'Detalles',
  features: 'Funciones',
  feature: 'Función',
  featureGroup: 'Grupo',
  on: 'Activada',
  off: 'Desactivada',
  versions: 'Versiones',
  release: (title, version) => `${title}: Vertical Kit ${version}`,
}
