import type { Texts } from '../../elements/texts.ts'
import { named } from '../named.ts'
import { pluralOf } from '../plural.ts'

const plural = pluralOf('fr')
const people = (count: number): string => `${count} ${plural(count, ['personne', 'personnes'])}`

export const administration: Texts['administration'] = {
  save: 'Enregistrer',
  refresh: 'Actualiser',
  filters: 'Filtres',

  users: 'Utilisateurs',
  search: 'Rechercher par nom, adresse e-mail ou identifiant',
  show: 'Afficher',
  allUsers: 'Tous les utilisateurs',
  activeUsers: 'Utilisateurs actifs',
  inactiveUsers: 'Utilisateurs désactivés',
  noUsers: 'Aucun utilisateur ne correspond.',
  inactive: 'Désactivé',
  noRoles: 'Aucun rôle',
  editRoles: 'Rôles',
  rolesOf: (name) => `Rôles de ${name}`,
  rolesSaved: (name) => `Les rôles de ${name} ont été modifiés. Ils s’appliquent dès la prochaine requête.`,
  deactivate: 'Désactiver',
  deactivateTitle: (name) => `Désactiver ${name} ?`,
  deactivateMessage:
    'Cette personne ne pourra plus utiliser l’application dès la prochaine requête. Son travail et ses rôles sont conservés.',
  reactivate: 'Réactiver',
  reactivateTitle: (name) => `Réactiver ${name} ?`,
  reactivateMessage: 'Cette personne pourra de nouveau utiliser l’application, avec les rôles qu’elle avait.',
  deactivated: (name) => `Le compte de ${name} a été désactivé.`,
  reactivated: (name) => `Le compte de ${name} a été réactivé.`,
  invite: 'Inviter une personne',
  subject: 'Identifiant',
  subjectHint:
    'Le nom d’utilisateur ou l’identifiant par lequel votre service de connexion désigne cette personne (le claim « sub »).',
  name: 'Nom',
  email: 'Adresse e-mail (facultative)',
  sendInvitation: 'Inviter',
  invited: (name) =>
    `L’invitation de ${name} est enregistrée. Cette personne peut se connecter dès maintenant.`,

  roles: 'Rôles',
  noRolesYet: 'Il n’y a aucun rôle.',
  addRole: 'Ajouter un rôle',
  editRole: 'Modifier',
  editRoleOf: (name) => `Modifier ${name}`,
  code: 'Code du rôle',
  codeHint:
    'Lettres minuscules et chiffres, en parties séparées par un point, un tiret ou un tiret bas, par exemple sales.clerk. Les tâches et les jetons désignent le rôle par ce code.',
  description: 'Description (facultative)',
  roleAdded: (name) => `${name} a été ajouté. Choisissez ses autorisations.`,
  switchOff: 'Désactiver',
  switchOffTitle: (name) => `Désactiver ${name} ?`,
  switchOffMessage: (count) =>
    count === 0
      ? 'Personne n’a ce rôle pour le moment. Vous pourrez le réactiver.'
      : `Il n’accorde plus rien à ${people(count)}, dès la prochaine requête. Vous pourrez le réactiver.`,
  switchedOffRole: (name) => `${name} a été désactivé.`,
  switchOn: 'Activer',
  switchOnTitle: (name) => `Activer ${name} ?`,
  switchOnMessage: (count) =>
    count === 0
      ? 'Personne n’a ce rôle pour le moment.'
      : `Il accorde ses autorisations à ${people(count)}, dès la prochaine requête.`,
  switchedOnRole: (name) => `${name} a été activé.`,
  assignedTo: (count) => `Attribué à ${people(count)}`,
  protected: 'Protégé',
  protectedReason:
    'Ce rôle accorde toutes les autorisations, car l’installation le désigne comme rôle d’administrateur. Ses autorisations ne peuvent pas être modifiées ici.',
  readOnly: 'Vous pouvez voir les autorisations de ce rôle, mais vous n’êtes pas autorisé à les modifier.',
  switchedOff: 'Désactivé',
  permissions: 'Autorisations',
  resource: named({
    'system.attachments': 'Pièces jointes',
    'system.audit': 'Historique',
    'system.notes': 'Notes',
    'system.outbox': 'Boîte d’envoi',
    'system.permissions': 'Autorisations',
    'system.roles': 'Rôles',
    'system.users': 'Utilisateurs',
    'system.work_center': 'Espace de travail',
  }),
  resourceColumn: 'Ressource',
  action: named({
    create: 'Créer',
    delete: 'Supprimer',
    edit: 'Modifier',
    manage: 'Gérer',
    mark_for_deletion: 'Marquer pour suppression',
    post: 'Comptabiliser',
    read: 'Lire',
    repost: 'Recomptabiliser',
    supervise: 'Superviser',
    unpost: 'Décomptabiliser',
    update: 'Modifier',
    view: 'Voir',
    view_audit: 'Voir l’historique',
  }),
  notRegistered: 'Accordé, mais inconnu de cette version',
  unchanged: 'Aucune modification.',
  changeCount: (added, removed) =>
    `${added} ${plural(added, ['ajoutée', 'ajoutées'])}, ${removed} ${plural(removed, ['retirée', 'retirées'])}`,
  reset: 'Réinitialiser',
  review: 'Vérifier et enregistrer',
  reviewTitle: (name) => `Modifier ${name} ?`,
  reviewMessage: (count) =>
    count === 0
      ? 'Personne n’a ce rôle actuellement.'
      : `Cela concerne ${people(count)}, dès leur prochaine requête.`,
  changes: 'Modifications',
  adds: (permission) => `Ajoute : ${permission}`,
  removes: (permission) => `Retire : ${permission}`,
  roleSaved: (name) => `Le rôle ${name} a été enregistré.`,
  conflict:
    'Un autre administrateur a modifié ce rôle. Vos modifications sont conservées et s’appliquent maintenant aux autorisations actuelles. Vérifiez-les et enregistrez à nouveau.',

  outbox: 'Boîte d’envoi',
  consumers: 'Consommateurs',
  consumer: 'Consommateur',
  pending: 'En attente',
  oldest: 'Plus ancien',
  dead: 'Non distribués',
  deadLetters: 'Événements non distribués',
  noDeadLetters: 'Aucun événement non distribué. Chaque événement a été traité ou le sera.',
  attempts: (count) => `${count} ${plural(count, ['tentative', 'tentatives'])}`,
  deadSince: (time) => `Échec : ${time}`,
  heldBack: (count) =>
    `${count} ${plural(count, ['événement ultérieur attend', 'événements ultérieurs attendent'])}`,
  notEnded: 'La dernière tentative ne s’est pas terminée : son processus s’est arrêté ou a été trop lent.',
  showAttempts: 'Tentatives',
  historyFailed: 'Les tentatives n’ont pas pu être chargées.',
  outcomes: { completed: 'Terminée', failed: 'En échec', abandoned: 'Inachevée' },
  retry: 'Relancer',
  retryTitle: 'Relancer cet événement ?',
  retryMessage:
    'Faites-le une fois la cause corrigée. Les événements ultérieurs du même objet suivent dans l’ordre.',
  retried: 'L’événement est relancé.',
  discard: 'Abandonner',
  discardTitle: 'Abandonner cet événement ?',
  discardMessage: (consumer) =>
    `${consumer} ne traitera jamais cet événement. Les événements ultérieurs du même objet continuent. Cette opération est irréversible.`,
  discarded: 'L’événement a été abandonné.',
  reason: 'Motif',
  reasonMissing: 'Indiquez un motif. Il est conservé dans l’historique.',
  reasonTooLong: 'Saisissez au plus 1 000 caractères.',

  status: 'État du système',
  health: 'Santé',
  part: 'Composant',
  state: 'État',
  states: { Healthy: 'Opérationnel', Degraded: 'Dégradé', Unhealthy: 'En panne' },
  duration: 'Temps de réponse',
  failed: 'En échec',
  detail: 'Détails',
  features: 'Fonctionnalités',
  feature: 'Fonctionnalité',
  featureGroup: 'Groupe',
  on: 'Activée',
  off: 'Désactivée',
  versions: 'Versions',
  release: (title, version) => `${title} : Vertical Kit ${version}`,
}
