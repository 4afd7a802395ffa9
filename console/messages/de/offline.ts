import type { en } from '../en/index.ts';

export const offline: typeof en.offline = {
  title: 'Offline-Aktivierung',
  description:
    'Für Geräte ohne Netzwerk. Übertragen Sie die Anfrage des Geräts hierher und das Lease zurück auf das Gerät. Mit einer Quittung des Geräts wird sein Platz frei.',
  take: {
    paste: 'Anfrage oder Quittung',
    pasteHint: 'Der Text, den das Gerät anzeigt. Er beginnt mit LKREQ1. oder LKOFF1.',
    next: 'Prüfen',
    scan: 'QR-Code scannen',
    file: 'Oder eine Datei vom Gerät',
    fileHint: 'Eine Textdatei oder ein Foto des QR-Codes',
    unreadable: 'Diese Datei hat keinen lesbaren Text oder QR-Code. Fotografieren Sie näher und schärfer.',
    nothing: 'Bis Sie bestätigen, ändert sich nichts.',
    isLease: 'Das ist ein Lease. Öffnen Sie es auf dem Gerät. Hier werden Anfragen und Quittungen geprüft.',
  },
  scan: {
    title: 'QR-Code scannen',
    hint: 'Halten Sie den QR-Code des Geräts vor die Kamera, bis er das Bild fast ausfüllt.',
    picture: 'Kamera',
    noCamera:
      'Es lässt sich keine Kamera verwenden. Fügen Sie den Text ein, oder wählen Sie ein Foto des QR-Codes.',
    insecure:
      'Browser erlauben die Kamera nur über HTTPS. Fügen Sie den Text ein, oder wählen Sie ein Foto des QR-Codes.',
    notAllowed:
      'Diese Seite darf die Kamera nicht verwenden. Erlauben Sie es im Browser, oder wählen Sie ein Foto des QR-Codes.',
  },
  fact: {
    device: 'Gerät',
    noLabel: 'Ohne Namen',
    fingerprint: 'Fingerabdruck',
    license: 'Lizenz',
    product: 'Produkt',
    anyProduct: 'Nicht angegeben',
    made: 'Erstellt (Uhr des Geräts)',
  },
  review: {
    request: 'Dieses Gerät aktivieren?',
    requestHint:
      'Das Gerät fordert ein Lease an. Vergleichen Sie seinen Namen mit dem, was der Kunde Ihnen gesagt hat.',
    requestAction: 'Gerät aktivieren',
    receipt: 'Den Platz dieses Geräts freigeben?',
    receiptHint: 'Das Gerät bestätigt, dass es sein Lease gelöscht hat.',
    receiptAction: 'Platz freigeben',
    hasSeat: 'Das Gerät hat bereits einen Platz. Es behält ihn und erhält ein neues Lease.',
    hasEnded: 'Diese Aktivierung ist bereits beendet.',
    back: 'Zurück',
  },
  result: {
    activated: 'Das Gerät ist aktiviert',
    until: 'Das Lease gilt bis',
    bring: 'Übertragen Sie es auf das Gerät: Scannen Sie den Code, oder kopieren Sie die Datei.',
    code: 'QR-Code des Leases',
    save: 'Lease als Datei speichern',
    copy: 'Lease kopieren',
    again:
      'Das Lease funktioniert nur auf diesem Gerät. Geht es verloren, prüfen Sie dieselbe Anfrage noch einmal.',
    ended: 'Der Platz ist frei',
    endedHint: 'Ein anderes Gerät kann ihn jetzt verwenden.',
    next: 'Nächstes Gerät',
    license: 'Zur Lizenz',
  },
};
