/** What each setting means, by its variable; the server has it in English. */
export const settingMeanings: Readonly<Record<string, string>> = {
  LATCHKEY_PORT: 'Port, auf dem der Server lauscht; 0 nimmt einen freien',
  LATCHKEY_HOST: 'Adresse, auf der der Server lauscht; 0.0.0.0 für jede IPv4-Adresse',
  LATCHKEY_WORKERS:
    'Prozesse, die nebeneinander arbeiten, um ebenso viele Kerne zu nutzen; auto für einen je Kern',
  LATCHKEY_DATA_DIR: 'Ordner der Datenbank, des Hauptschlüssels und der Dateien der Versionen',
  LATCHKEY_DATABASE_URL:
    'Eine PostgreSQL-Datenbank, in der alles liegt (postgres://benutzer:passwort@host/datenbank)',
  LATCHKEY_DATABASE_CONNECTIONS:
    'Höchstzahl der Verbindungen zu PostgreSQL je Prozess, für Anfragen; Listen haben bis zu 4 weitere',
  LATCHKEY_DATABASE_POOLER:
    'yes, wenn zwischen Latchkey und PostgreSQL ein Pooler im Transaktionsmodus (PgBouncer) steht',
  LATCHKEY_DATABASE_REPLICA_URL: 'Eine lesbare Replik der PostgreSQL-Datenbank, für Listen und Berichte',
  LATCHKEY_DATABASE_REPLICA_READS:
    'lists: Prüfungen und andere Abfragen lesen die Hauptdatenbank; all: auch sie lesen die Replik, die zurückliegen kann',
  LATCHKEY_BASE_URL:
    'Öffentliche Adresse für Links in Antworten; darf einen Pfad haben (https://example.com/shop)',
  LATCHKEY_REST_PREFIX: 'Teil des Pfads vor /dlm/v1, wie ihn bestehende Programme haben',
  LATCHKEY_MASTER_KEY:
    'Der Schlüssel, mit dem alle Lizenzschlüssel verschlüsselt sind: 64 Hexadezimalziffern. Ohne ihn lässt sich nichts lesen: Sichern Sie ihn',
  LATCHKEY_NEXT_MASTER_KEY:
    'Der Schlüssel, den „latchkey master-key rotate“ an die Stelle von LATCHKEY_MASTER_KEY setzt: 64 Hexadezimalziffern. Er öffnet die Datenbank, wenn der andere es nicht mehr tut',
  LATCHKEY_MOVE_TO: 'Die Datenbank, in die „latchkey move“ kopiert, wenn weder --to noch --to-file sie nennt',
  LATCHKEY_MOVE_IN_DATABASE:
    'Die Datenbank eines WordPress-Shops, die „latchkey move-in“ liest, wenn --database sie nicht nennt',
  LATCHKEY_PLUGIN_DEFUSE:
    'Der Schlüssel des Plugins für „latchkey move-in“ und „move-out“, wenn wp-config.php ihn definiert (DLM_PLUGIN_DEFUSE)',
  LATCHKEY_PLUGIN_SECRET:
    'Das Geheimnis des Plugins für „latchkey move-in“ und „move-out“, wenn wp-config.php es definiert (DLM_PLUGIN_SECRET)',
  LATCHKEY_CONSUMER_KEY:
    'Ein API-Schlüssel mit vollen Rechten, den es ab dem ersten Start gibt, zur Automatisierung; zusammen mit LATCHKEY_CONSUMER_SECRET',
  LATCHKEY_CONSUMER_SECRET: 'Das Geheimnis zu LATCHKEY_CONSUMER_KEY',
  LATCHKEY_TRUST_PROXY:
    'Wessen X-Forwarded-*-Header gelten: no, yes (die von allen) oder eine Liste von Adressen und Netzen der Proxys (10.0.0.0/8,::1)',
  LATCHKEY_CORS_ORIGINS:
    'Web-Ursprünge, die die API aus einem Browser aufrufen dürfen: *, none oder eine Liste (https://a.example,https://b.example)',
  LATCHKEY_CLIENT_API:
    'on: Programme ohne Geheimnis dürfen /client/v1 nutzen, das statt eines API-Schlüssels einen Lizenzschlüssel oder ein Aktivierungstoken verlangt; off: es antwortet mit 404',
  LATCHKEY_RATE_LIMIT: 'Erlaubte API-Anfragen pro Minute von einer Adresse; darüber ist die Antwort 429',
  LATCHKEY_API_KEY_RATE_LIMIT:
    'Erlaubte API-Anfragen pro Minute mit einem API-Schlüssel; darüber ist die Antwort 429. Alle Installationen eines Programms, das die v1-API nutzt, teilen sich dessen Schlüssel. Anfragen an die Client-API haben keinen und zählen nicht',
  LATCHKEY_FAILURE_LIMIT:
    'Erlaubte falsche Zugangsdaten sowie unbekannte Lizenzschlüssel und Tokens pro Minute von einer Adresse; 0 für keine Grenze. Darüber ist die Antwort auf weitere Fehlversuche 429, bis die Minute vorbei ist. Nach zehnmal so vielen unbekannten Lizenzschlüsseln, die mit einem API-Schlüssel kamen, gilt das auch für jede Anfrage der Adresse mit API-Schlüssel, die einen Lizenzschlüssel nennt. Ausgenommen sind Lizenzschlüssel, die mit einem API-Schlüssel kommen, der Lizenzen auflisten darf, außer beim Aktivieren',
  LATCHKEY_SIGN_IN_LIMIT:
    'Erlaubte Versuche pro Minute, sich von einer Adresse an der Konsole anzumelden, und viermal so viele pro Stunde an einem Konto; darüber ist die Antwort 429; 0 für keine Grenze',
  LATCHKEY_MAX_CONNECTIONS:
    'Verbindungen von Clients zugleich, je Prozess; wo keinem Proxy vertraut wird, hat eine Adresse höchstens ein Zehntel davon',
  LATCHKEY_DOWNLOAD_HOURS: 'Wie viele Stunden die download_url eines Updates gilt',
  LATCHKEY_DOWNLOAD_DAYS:
    'Wie viele Tage der Eintrag jedes Downloads aufbewahrt wird, 0 für immer; die Zählung bleibt, bis die Version gelöscht wird',
  LATCHKEY_HISTORY_KEEP:
    'Wie viele deaktivierte Aktivierungen und wie viele Download-Einträge je Lizenz aufbewahrt werden, die neuesten zuerst; ältere werden nur gezählt; 0 für alle',
  LATCHKEY_WEBHOOK_NETWORKS:
    'Nicht öffentliche Netze, in die Webhooks gesendet werden dürfen, auch über http (10.1.0.0/16,fd00::/8); sonst gehen Webhooks nur über https an öffentliche Adressen',
  LATCHKEY_EVENT_DAYS:
    'Wie viele Tage Ereignisse und ihre Zustellungen aufbewahrt werden, auch solche, die kein Empfänger erhalten hat',
  LATCHKEY_EXPIRING_DAYS:
    'Wie viele Tage vor dem Ablauf einer Lizenz das Ereignis license.expiring gesendet wird; none: nie',
  LATCHKEY_TRASH_DAYS:
    'Wie viele Tage eine gelöschte Lizenz mit ihren Aktivierungen wiederhergestellt werden kann; 0 entfernt sie innerhalb einer Stunde',
  LATCHKEY_S3_BUCKET: 'Bucket eines S3-kompatiblen Speichers, in dem die Dateien der Versionen liegen',
  LATCHKEY_S3_ENDPOINT: 'Adresse des Speichers, wenn es nicht AWS ist (https://minio.example.com)',
  LATCHKEY_S3_REGION: 'Region des Buckets',
  LATCHKEY_S3_PREFIX:
    'Womit die Namen aller Objekte beginnen, wenn der Bucket auch andere enthält (latchkey/)',
  LATCHKEY_S3_ACCESS_KEY_ID: 'Zugangsschlüssel des Speichers; zusammen mit LATCHKEY_S3_SECRET_ACCESS_KEY',
  LATCHKEY_S3_SECRET_ACCESS_KEY: 'Das Geheimnis zu LATCHKEY_S3_ACCESS_KEY_ID',
  LATCHKEY_S3_DOWNLOADS:
    'redirect: Downloads werden an eine signierte Adresse des Speichers weitergeleitet, die einige Minuten gilt; stream: sie laufen durch Latchkey',
  LATCHKEY_BACKUP_HOURS: 'Alle so viele Stunden sichert der Server alles',
  LATCHKEY_BACKUP_DIR:
    'Ordner, in dem Sicherungen angelegt werden; am besten auf einem anderen Datenträger oder auf einen anderen Rechner kopiert',
  LATCHKEY_BACKUP_KEEP:
    'Wie viele der Sicherungen, die der Server macht, aufbewahrt werden: die neuesten im Ordner',
  LATCHKEY_METRICS_PORT:
    'Port, der /metrics für Prometheus ausliefert, an jeden, der ihn erreicht; 0 nimmt einen freien',
  LATCHKEY_METRICS_HOST: 'Adresse, auf der LATCHKEY_METRICS_PORT lauscht',
  LATCHKEY_METRICS_TOKEN:
    'Liefert /metrics für Prometheus auf LATCHKEY_PORT aus, für Anfragen mit diesem Bearer-Token',
  LATCHKEY_FIRST_START:
    'Wohin ein Start den ersten API-Schlüssel und den Link schreibt, mit dem die Konsole eingerichtet wird: print: in die Ausgabe; file: in first-start.txt im Datenverzeichnis; auto: in die Datei, wenn die Ausgabe ins systemd-Journal geht',
  LATCHKEY_LOG_LEVEL: 'Eines von fatal, error, warn, info, debug, trace, silent',
};

/** Defaults that are words, by the words of the server. */
export const settingDefaults: Readonly<Record<string, string>> = {
  none: 'keine',
  'SQLite in the data directory': 'SQLite im Datenverzeichnis',
  "each request's Host": 'der Host jeder Anfrage',
  'master.key in the data directory, created at the first start':
    'master.key im Datenverzeichnis, beim ersten Start angelegt',
  '0 (no limit)': '0 (keine Grenze)',
  'files in the data directory': 'Dateien im Datenverzeichnis',
  'found as the AWS tools do': 'wie ihn die Werkzeuge von AWS finden',
  '0 (none)': '0 (keine)',
  'backups in the data directory': 'backups im Datenverzeichnis',
};
