import type { Texts } from '../../elements/texts.ts'

/** The titles of the kit's own notifications. */
export const items: Texts['items'] = {
  'work_center.object_changed': ({ actor = '', title = '' }) => `Zmiany w ${title}, autor: ${actor}`,
  'notes.mentioned': ({ actor = '', title = '' }) => `Wzmianka o Tobie w ${title}, autor: ${actor}`,
  'work_center.task_forwarded.to_reader': ({ actor = '', title = '' }) =>
    `${title}: przekazano Tobie, przekazujący: ${actor}`,
  'work_center.task_forwarded.to_role': ({ actor = '', title = '', recipient = '' }) =>
    `${title}: przekazano roli ${recipient}, przekazujący: ${actor}`,
  'work_center.task_forwarded.from_reader': ({ actor = '', title = '', recipient = '' }) =>
    `${title}: nowy odbiorca: ${recipient}, przekazujący: ${actor}`,
}

/** The texts for the codes of the kit. */
export const service: Texts['service'] = {
  actions: {
    post: { label: 'Zaksięguj', description: 'Księguje dokument.' },
    unpost: {
      label: 'Cofnij księgowanie',
      description: 'Cofa zaksięgowanie dokumentu, aby można go było edytować.',
      confirmation: {
        title: 'Cofnąć zaksięgowanie tego dokumentu?',
        message: 'Jego skutki w księgach zostaną odwrócone. Dokument znów będzie wersją roboczą.',
        confirmLabel: 'Cofnij księgowanie',
      },
    },
    repost: {
      label: 'Zaksięguj ponownie',
      description: 'Odwraca skutki dokumentu w księgach i księguje go ponownie.',
      confirmation: {
        title: 'Zaksięgować ten dokument ponownie?',
        message: 'Jego skutki w księgach zostaną odwrócone i zaksięgowane ponownie.',
        confirmLabel: 'Zaksięguj ponownie',
      },
    },
    mark_for_deletion: {
      label: 'Oznacz do usunięcia',
      description: 'Wycofuje dokument z użycia. Później można go przywrócić.',
      confirmation: {
        title: 'Oznaczyć ten dokument do usunięcia?',
        message:
          'Dokument oraz jego załączniki i notatki zostaną wycofane z użycia. Później można je przywrócić.',
        confirmLabel: 'Oznacz do usunięcia',
      },
    },
    unmark_for_deletion: { label: 'Przywróć', description: 'Przywraca dokument jako wersję roboczą.' },
  },
  reasons: {
    'document.not_marked_for_deletion': 'Dokument nie jest oznaczony do usunięcia.',
    'document.marked_for_deletion': 'Dokument jest oznaczony do usunięcia.',
    'document.not_posted': 'Dokument nie jest zaksięgowany.',
    'document.already_posted': 'Dokument jest już zaksięgowany.',
    'document.posted': 'Dokument jest zaksięgowany.',
  },
  remedies: {
    'document.marked_for_deletion': 'Przywróć dokument.',
    'document.posted': 'Najpierw cofnij księgowanie.',
  },
  definitions: {
    'work_center.object_changed': {
      name: 'Zmiany obserwowanych obiektów',
      description: 'Inna osoba pracowała nad obiektem, który obserwujesz.',
    },
    'notes.mentioned': {
      name: 'Wzmianki w notatkach',
      description: 'Ktoś wspomniał o Tobie w notatce.',
    },
    'work_center.task_forwarded': {
      name: 'Przekazano zadanie',
      description: 'Zadanie przekazano Tobie lub innemu użytkownikowi.',
    },
  },
  features: { Notes: 'Notatki', Attachments: 'Załączniki' },
  permissions: {
    'system.attachments.read': {
      name: 'Odczyt załączników',
      description: 'Przeglądanie i pobieranie załączników obiektów, które użytkownik może odczytać.',
    },
    'system.attachments.create': {
      name: 'Przesyłanie załączników',
      description:
        'Przesyłanie plików do obiektów, które użytkownik może odczytać, i anulowanie własnego trwającego przesyłania.',
    },
    'system.attachments.delete': {
      name: 'Usuwanie załączników',
      description: 'Usuwanie załączników dowolnego użytkownika. Pliki pozostają do pobrania z historii.',
    },
    'system.notes.read': {
      name: 'Odczyt notatek',
      description: 'Odczyt notatek obiektów, które użytkownik może odczytać.',
    },
    'system.notes.create': {
      name: 'Pisanie notatek',
      description: 'Dodawanie notatek do obiektów, które użytkownik może odczytać.',
    },
    'system.notes.update': {
      name: 'Edycja notatek',
      description: 'Zmiana tekstu dowolnej notatki, także innych użytkowników.',
    },
    'system.notes.delete': {
      name: 'Usuwanie notatek',
      description: 'Usuwanie dowolnej notatki, także innych użytkowników. Tekst pozostaje w historii.',
    },
    'system.work_center.supervise': {
      name: 'Nadzór nad zadaniami',
      description:
        'Przeglądanie, przekazywanie i zwalnianie zadań wszystkich użytkowników oraz wyznaczanie ich zastępców. Pokazuje tylko zadania, których obiekt użytkownik może zobaczyć.',
    },
    'system.permissions.view': {
      name: 'Wyświetlanie uprawnień',
      description: 'Wyświetlanie wszystkich uprawnień, które można nadać roli.',
    },
    'system.roles.view': {
      name: 'Wyświetlanie ról',
      description: 'Wyświetlanie ról i ich uprawnień.',
    },
    'system.roles.manage': {
      name: 'Zarządzanie rolami',
      description:
        'Tworzenie, zmiana nazwy, dezaktywowanie i ponowne aktywowanie ról oraz zmiana ich uprawnień.',
    },
    'system.users.view': {
      name: 'Wyświetlanie użytkowników',
      description: 'Wyświetlanie użytkowników i ich ról.',
    },
    'system.users.manage': {
      name: 'Zarządzanie użytkownikami',
      description:
        'Zapraszanie użytkowników, przypisywanie im ról oraz ich dezaktywowanie i ponowne aktywowanie.',
    },
    'system.outbox.manage': {
      name: 'Zarządzanie skrzynką nadawczą',
      description:
        'Przeglądanie oczekujących i nieudanych zdarzeń oraz ponawianie lub odrzucanie nieudanych.',
    },
    'system.audit.view': {
      name: 'Wyświetlanie historii',
      description:
        'Odczyt historii wszystkich dostępnych obiektów, obiektów usuniętych oraz ról, użytkowników i zdarzeń skrzynki nadawczej.',
    },
  },
  roles: {},
  groups: {
    'Attachments & Notes': 'Załączniki i notatki',
    'Document actions': 'Czynności na dokumentach',
    'Work Center': 'Centrum pracy',
    'Users & Roles': 'Użytkownicy i role',
    Operations: 'Eksploatacja',
    Audit: 'Historia zmian',
    Conversation: 'Rozmowy',
  },
}
