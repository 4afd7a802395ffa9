import type { en } from '../en/index.ts';

export const offline: typeof en.offline = {
  title: 'Offline-Aktivierung',
  description:
    'Für Geräte ohne Netz. Bringen Sie die Anfrage des Geräts hierher und das Lease zurück zum Gerät. Eine Quittung des Geräts gibt seinen Platz frei.',
  take: {
    paste: 'Anfrage oder Quittung',
    pasteHint: 'Der Text, den das Gerät anzeigt. Er beginnt mit LKREQ1. oder LKOFF1.',
    next: 'Prüfen',
    scan: 'QR-Code scannen',
    file: 'Oder eine Datei vom Gerät',
    fileHint: 'Eine Textdatei oder ein Foto des QR-Codes',
    unreadable:
      'Diese Datei hat keinen lesbaren Text oder QR-Code. Machen Sie das Foto aus der Nähe und scharf.',
    nothing: 'Bis Sie bestätigen, ändert sich nichts.',
    isLease: 'Das ist ein Lease. Es gehört auf das Gerät; diese Seite nimmt Anfragen und Quittungen.',
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
    anyProduct: 'Nicht genannt',
    made: 'Erstellt (Uhr des Geräts)',
  },
  review: {
    request: 'Dieses Gerät aktivieren?',
    requestHint:
      'Das Gerät bittet um ein Lease. Vergleichen Sie seinen Namen mit dem, was der Kunde Ihnen gesagt hat.',
    requestAction: 'Gerät aktivieren',
    receipt: 'Den Platz dieses Geräts freigeben?',
    receiptHint: 'Das Gerät sagt, dass es sein Lease gelöscht hat.',
    receiptAction: 'Platz freigeben',
    hasSeat: 'Das Gerät hat schon einen Platz. Es behält ihn und bekommt ein neues Lease.',
    hasEnded: 'Diese Aktivierung ist schon beendet.',
    back: 'Zurück',
  },
  result: {
    activated: 'Das Gerät ist aktiviert',
    until: 'Das Lease gilt bis',
    bring: 'Bringen Sie es zum Gerät: Scannen Sie den Code, oder kopieren Sie die Datei.',
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
