<?php
// Writes a shop of a plugin, as the plugin stores it, independently of Latchkey's own code:
//   php make-shop.php dlm|lmfwc2|lmfwc3 LICENSES FOLDER [PREFIX]
// DLM's shop has the billing addresses of orders in WooCommerce's own table, the others in the metadata of posts.
// FOLDER gets defuse.txt and secret.txt, shop.sql, and expected.jsonl: a line {table, key, …columns} for each license and
// activation, with the license key in plain text. Every tenth license is odd in one of the ways of $odd.

[, $plugin, $count, $folder] = $argv;
$prefix = $argv[4] ?? 'wp_';
$count = (int) $count;
$dlm = $plugin === 'dlm';
$name = $dlm ? 'dlm' : 'lmfwc';
mt_srand(17);

$key = random_bytes(32);
$header = "\xDE\xF0\x00\x00";
$secret = bin2hex(random_bytes(32));
file_put_contents("$folder/defuse.txt", bin2hex($header . $key . hash('sha256', $header . $key, true)) . "\n");
file_put_contents("$folder/secret.txt", $secret);
$sql = fopen("$folder/shop.sql", 'w');
$expected = fopen("$folder/expected.jsonl", 'w');

function seal(string $text, string $key): string {
    $salt = random_bytes(32);
    $iv = random_bytes(16);
    $encryption = hash_hkdf('sha256', $key, 32, 'DefusePHP|V2|KeyForEncryption', $salt);
    $authentication = hash_hkdf('sha256', $key, 32, 'DefusePHP|V2|KeyForAuthentication', $salt);
    $body = "\xDE\xF5\x02\x00" . $salt . $iv . openssl_encrypt($text, 'aes-256-ctr', $encryption, OPENSSL_RAW_DATA, $iv);
    return bin2hex($body . hash_hmac('sha256', $body, $authentication, true));
}

function literal($value): string {
    if ($value === null) return 'NULL';
    if (is_int($value)) return (string) $value;
    return "'" . strtr($value, ["\\" => "\\\\", "'" => "\\'", "\0" => "\\0", "\n" => "\\n", "\r" => "\\r", "\x1a" => "\\Z"]) . "'";
}

$rows = [];
function insert(string $table, array $row): void {
    global $rows;
    if (!empty($rows[$table]) && array_keys($rows[$table][0]) !== array_keys($row)) flush_rows($table);
    $rows[$table][] = $row;
    if (count($rows[$table]) >= 500) flush_rows($table);
}
function flush_rows(string $table): void {
    global $rows, $sql;
    if (empty($rows[$table])) return;
    $columns = implode(', ', array_map(fn ($one) => "`$one`", array_keys($rows[$table][0])));
    $values = implode(",\n", array_map(fn ($row) => '(' . implode(',', array_map('literal', $row)) . ')', $rows[$table]));
    fwrite($sql, "INSERT INTO `$table` ($columns) VALUES\n$values;\n");
    $rows[$table] = [];
}
function expect(array $row): void {
    global $expected;
    fwrite($expected, json_encode($row, JSON_UNESCAPED_UNICODE | JSON_INVALID_UTF8_SUBSTITUTE) . "\n");
}
$day = fn (int $days): string => gmdate('Y-m-d H:i:s', 1700000000 + $days * 86400 + mt_rand(0, 86399));

// --- tables

$stamps = '`created_at` DATETIME NULL, `created_by` BIGINT(20) UNSIGNED NULL DEFAULT NULL,
  `updated_at` DATETIME NULL DEFAULT NULL, `updated_by` BIGINT(20) UNSIGNED NULL DEFAULT NULL';
$limit = $dlm ? '`activations_limit` INT(10) UNSIGNED NULL DEFAULT NULL'
    : '`times_activated_max` INT(10) UNSIGNED NULL DEFAULT NULL';
$counted = $dlm ? '' : '`times_activated` INT(10) UNSIGNED NULL DEFAULT NULL,';
$activationsTable = $prefix . ($dlm ? 'dlm_license_activations' : 'lmfwc_activations');
$metaTable = $prefix . ($dlm ? 'dlm_license_meta' : 'lmfwc_licenses_meta');
$t = fn (string $table): string => "$prefix{$name}_$table";
$charset = $dlm ? 'utf8' : 'utf8mb4';
fwrite($sql, "SET NAMES utf8mb4; SET sql_mode = 'NO_AUTO_VALUE_ON_ZERO,ALLOW_INVALID_DATES'; SET foreign_key_checks = 0;\n");
// A WordPress table whose content could confuse a reader of dumps.
fwrite($sql, "CREATE TABLE `{$prefix}posts` (`ID` bigint NOT NULL, `post_content` longtext, `raw` longblob, PRIMARY KEY (`ID`)) DEFAULT CHARSET=utf8mb4;
INSERT INTO `{$prefix}posts` VALUES (1, 'it''s; INSERT INTO `{$t('licenses')}` VALUES (1,2); -- \\\\', x'00ff27225c'), (2, '/* \\'); DROP', NULL);
CREATE TABLE `{$prefix}options` (`option_id` bigint NOT NULL AUTO_INCREMENT, `option_name` varchar(191) NOT NULL, `option_value` longtext NOT NULL, `autoload` varchar(20) NOT NULL DEFAULT 'yes', PRIMARY KEY (`option_id`), UNIQUE KEY (`option_name`)) DEFAULT CHARSET=utf8mb4;
CREATE TABLE `{$t('licenses')}` (`id` BIGINT(20) UNSIGNED NOT NULL AUTO_INCREMENT,
  `order_id` BIGINT(20) UNSIGNED NULL DEFAULT NULL, `product_id` BIGINT(20) UNSIGNED NULL DEFAULT NULL, `user_id` BIGINT(20) UNSIGNED NULL DEFAULT NULL,
  `license_key` LONGTEXT NOT NULL COMMENT 'Encrypted (License, Key)', `hash` LONGTEXT NOT NULL, `valid_for` INT(10) UNSIGNED NULL DEFAULT NULL,
  `expires_at` DATETIME NULL DEFAULT NULL, `source` VARCHAR(255) NOT NULL, `status` TINYINT(1) UNSIGNED NOT NULL, $counted $limit, $stamps,
  PRIMARY KEY (`id`)) ENGINE=InnoDB DEFAULT CHARSET=$charset;
CREATE TABLE `{$t('generators')}` (`id` BIGINT(20) UNSIGNED NOT NULL AUTO_INCREMENT, `name` VARCHAR(255) NOT NULL, `charset` VARCHAR(255) NOT NULL,
  `chunks` INT(10) UNSIGNED NOT NULL, `chunk_length` INT(10) UNSIGNED NOT NULL, $limit, `separator` VARCHAR(255) NULL DEFAULT NULL,
  `prefix` VARCHAR(255) NULL DEFAULT NULL, `suffix` VARCHAR(255) NULL DEFAULT NULL, `expires_in` INT(10) UNSIGNED NULL DEFAULT NULL, $stamps,
  PRIMARY KEY (`id`)) ENGINE=InnoDB DEFAULT CHARSET=$charset;
CREATE TABLE `{$t('api_keys')}` (`id` BIGINT(20) UNSIGNED NOT NULL AUTO_INCREMENT, `user_id` BIGINT(20) UNSIGNED NOT NULL, `description` VARCHAR(200) NULL DEFAULT NULL,
  `permissions` VARCHAR(10) NOT NULL, " . ($dlm ? '`endpoints` LONGTEXT NULL DEFAULT NULL,' : '') . " `consumer_key` CHAR(64) NOT NULL, `consumer_secret` CHAR(43) NOT NULL,
  `nonces` LONGTEXT NULL, `truncated_key` CHAR(7) NOT NULL, `last_access` DATETIME NULL DEFAULT NULL, $stamps,
  PRIMARY KEY (`id`), INDEX `consumer_key` (`consumer_key`)) ENGINE=InnoDB DEFAULT CHARSET=$charset;
CREATE TABLE `$metaTable` (`meta_id` BIGINT(20) UNSIGNED AUTO_INCREMENT, `license_id` BIGINT(20) UNSIGNED DEFAULT 0 NOT NULL,
  `meta_key` VARCHAR(255) NULL, `meta_value` LONGTEXT NULL, $stamps, PRIMARY KEY (`meta_id`)) ENGINE=InnoDB DEFAULT CHARSET=$charset;
");
fwrite($sql, "CREATE TABLE `{$prefix}users` (`ID` bigint(20) unsigned NOT NULL AUTO_INCREMENT, `user_login` varchar(60) NOT NULL DEFAULT '', `user_pass` varchar(255) NOT NULL DEFAULT '', `user_email` varchar(100) NOT NULL DEFAULT '', PRIMARY KEY (`ID`), KEY `user_email` (`user_email`)) DEFAULT CHARSET=utf8mb4;
" . ($dlm ? "CREATE TABLE `{$prefix}wc_orders` (`id` bigint(20) unsigned NOT NULL, `status` varchar(20) DEFAULT NULL, `customer_id` bigint(20) unsigned DEFAULT NULL, `billing_email` varchar(320) DEFAULT NULL, PRIMARY KEY (`id`)) DEFAULT CHARSET=utf8mb4;
" : "CREATE TABLE `{$prefix}postmeta` (`meta_id` bigint(20) unsigned NOT NULL AUTO_INCREMENT, `post_id` bigint(20) unsigned NOT NULL DEFAULT 0, `meta_key` varchar(255) DEFAULT NULL, `meta_value` longtext DEFAULT NULL, PRIMARY KEY (`meta_id`)) DEFAULT CHARSET=utf8mb4;
"));
if ($plugin !== 'lmfwc2') fwrite($sql, "CREATE TABLE `$activationsTable` (`id` BIGINT(20) UNSIGNED NOT NULL AUTO_INCREMENT, `token` LONGTEXT NOT NULL COMMENT 'Public identifier',
  `license_id` BIGINT(20) UNSIGNED NOT NULL, `label` VARCHAR(255) NULL DEFAULT NULL, `source` VARCHAR(255) NOT NULL, `ip_address` VARCHAR(255) NULL DEFAULT NULL,
  `user_agent` TEXT NULL DEFAULT NULL, `meta_data` LONGTEXT NULL DEFAULT NULL, `created_at` DATETIME NULL DEFAULT NULL, `updated_at` DATETIME NULL DEFAULT NULL,
  `deactivated_at` DATETIME NULL DEFAULT NULL, PRIMARY KEY (`id`)) ENGINE=InnoDB DEFAULT CHARSET=$charset;\n");
if ($dlm) {
    fwrite($sql, "CREATE TABLE `{$t('product_downloads')}` (`id` BIGINT(20) UNSIGNED NOT NULL AUTO_INCREMENT, `license_id` BIGINT(20) UNSIGNED NOT NULL, `source` VARCHAR(255) NOT NULL, PRIMARY KEY (`id`)) DEFAULT CHARSET=$charset;
INSERT INTO `{$t('product_downloads')}` VALUES (1, 1, '2'), (2, 1, '2'), (3, 2, '2');\n");
}

// --- licenses and activations

/** The oddities of every tenth license, in turn: columns that differ. */
$odd = [
    'quotes' => fn (int $id) => ['key' => "it's \"$id\" \\ \n end "],
    'unicode' => fn (int $id) => ['key' => "ключ-🔑-$id"],
    'long' => fn (int $id) => ['key' => str_pad("é$id", 256, 'x')], // 255 characters
    'too long' => fn (int $id) => ['key' => str_pad("y$id", 256, 'y')],
    'reserved' => fn (int $id) => ['key' => "hashed-$id"],
    'empty' => fn (int $id) => ['key' => ''],
    'damaged' => fn (int $id) => ['license_key' => 'def50200' . str_repeat('ab', 100)],
    'other key' => fn (int $id) => ['license_key' => seal("K$id", str_repeat('k', 32))],
    'no ciphertext' => fn (int $id) => ['license_key' => "K$id"],
    'hash' => fn (int $id) => ['hash' => str_repeat('0', 64)],
    'duplicate' => fn (int $id) => ['key' => 'TWICE'],
    'zero dates' => fn (int $id) => ['expires_at' => '0000-00-00 00:00:00', 'created_at' => '0000-00-00 00:00:00'],
    'impossible date' => fn (int $id) => ['expires_at' => '2027-02-31 10:00:00'],
    'no dates' => fn (int $id) => ['created_at' => null],
    'numbers' => fn (int $id) => ['order_id' => '18446744073709551615', $dlm ? 'activations_limit' : 'times_activated_max' => 4294967295, 'valid_for' => 4294967295],
    'status' => fn (int $id) => ['status' => 9, 'source' => 'shop'],
];
$odd_names = array_keys($odd);

/** Returns the address of a user: every third user is deleted, one address is malformed, one was erased. */
$user_email = fn (?int $id) => $id === null || $id % 3 === 0 ? null : match ($id) {
    5 => 'nobody', 8 => 'deleted@site.invalid', default => "User.$id@Example.com",
};
/** Returns the billing address of an order: every second order has one. */
$order_email = fn ($id) => is_int($id) && $id % 2 ? "ørder-$id@example.com" : null;
$email_of = function ($user, $order) use ($user_email, $order_email) {
    $ofUser = $user_email($user);
    return $ofUser === null || $user === 5 || $user === 8 ? $order_email($order) : $ofUser;
};
$activation = 0;
$sealed_meta = fn (array $meta): string => $dlm ? json_encode($meta) : serialize($meta);
for ($id = 1; $id <= $count; $id++) {
    $row = [
        'key' => sprintf('K%06d-%04X-%04X', $id, mt_rand(0, 65535), mt_rand(0, 65535)),
        'order_id' => $id % 3 ? $id + 5000 : null, 'product_id' => $id % 4 ? $id % 50 : null, 'user_id' => $id % 5 ? $id % 900 + 1 : null,
        'valid_for' => $id % 6 ? null : 365, 'expires_at' => $id % 2 ? $day($id % 3000 + 900) : null,
        'source' => (string) ($id % 4 + 1), 'status' => $id % ($dlm ? 5 : 4) + 1,
        'limit' => $id % 7 ? $id % 9 : null,
        'created_at' => $day($id % 700), 'created_by' => $id % 2 ? 1 : null, 'updated_at' => $id % 3 ? null : $day($id % 700 + 1), 'updated_by' => $id % 3 ? null : 2,
    ];
    $change = [];
    $why = null;
    if ($id % 10 === 0) {
        $why = $odd_names[intdiv($id, 10) % count($odd_names)];
        $change = $odd[$why]($id);
    }
    $row = [...$row, ...array_intersect_key($change, $row)];
    $license_key = $change['license_key'] ?? seal($row['key'], $key);
    $hash = $change['hash'] ?? hash_hmac('sha256', $row['key'], $secret);
    $limit_name = $dlm ? 'activations_limit' : 'times_activated_max';
    $row['limit'] = $change[$limit_name] ?? $row['limit'];
    $valid = $plugin === 'lmfwc2' ? $id % 4 : 2 - ($id % 8 === 0 ? 1 : 0);
    // A license of LMFWC 3 may count activations of LMFWC 2, which have no row.
    $times = $dlm ? [] : ['times_activated' => $plugin === 'lmfwc3' && $id % 20 === 1 ? $valid + 1 : $valid];
    insert($t('licenses'), [
        'id' => $id, 'order_id' => $row['order_id'], 'product_id' => $row['product_id'], 'user_id' => $row['user_id'],
        'license_key' => $license_key, 'hash' => $hash, 'expires_at' => $row['expires_at'], 'valid_for' => $row['valid_for'],
        'source' => $row['source'], 'status' => $row['status'], ...$times, $limit_name => $row['limit'],
        'created_at' => $row['created_at'], 'created_by' => $row['created_by'], 'updated_at' => $row['updated_at'], 'updated_by' => $row['updated_by'],
    ]);
    expect(['table' => 'license', 'id' => $id, 'odd' => $why, ...$row, ...$times, 'customer_email' => $email_of($row['user_id'], $row['order_id'])]);
    if ($user_email($row['user_id']) !== null && $id < 900)
        insert("{$prefix}users", ['ID' => $row['user_id'], 'user_login' => "user{$row['user_id']}", 'user_pass' => '$P$B', 'user_email' => $user_email($row['user_id'])]);
    if ($order_email($row['order_id']) !== null && $dlm)
        insert("{$prefix}wc_orders", ['id' => $row['order_id'], 'status' => 'wc-completed', 'customer_id' => $row['user_id'] ?? 0, 'billing_email' => $order_email($row['order_id'])]);
    if ($order_email($row['order_id']) !== null && !$dlm) {
        insert("{$prefix}postmeta", ['meta_id' => 2 * $id, 'post_id' => $row['order_id'], 'meta_key' => '_billing_email', 'meta_value' => $order_email($row['order_id'])]);
        insert("{$prefix}postmeta", ['meta_id' => 2 * $id + 1, 'post_id' => $row['order_id'], 'meta_key' => '_note', 'meta_value' => 'not@an.address']);
    }
    for ($n = 0; $plugin !== 'lmfwc2' && $n < 2; $n++) {
        $activation++;
        $meta = $activation % 3 ? null : ['os' => 'Linux', 'ünï' => "it's \"$id\"", 'n' => [1, 2.5, true]];
        $device = [
            'token' => sha1("token $activation"), 'license_id' => $id,
            'label' => $activation % 5 ? "Site $activation" : ($activation % 10 ? "L'été \"$activation\"\t\\ \n;--" : null),
            'source' => (string) ($activation % 3 + 1), 'ip_address' => $activation % 4 ? '203.0.113.' . $activation % 250 : null,
            'user_agent' => $activation % 4 ? "agent/$activation" : null,
            'created_at' => $day($id % 700), 'updated_at' => $activation % 6 ? null : $day($id % 700 + 2),
            'deactivated_at' => $n === 1 && $id % 8 === 0 ? $day($id % 700 + 3) : null,
        ];
        $meta_data = $meta === null ? ($activation % 2 ? null : ($dlm ? '[]' : 'a:0:{}')) : $sealed_meta($meta);
        insert($activationsTable, ['id' => $activation, ...array_slice($device, 0, 6), 'meta_data' => $meta_data, ...array_slice($device, 6)]);
        expect(['table' => 'activation', 'id' => $activation, 'odd' => null, ...$device, 'meta' => $meta]);
    }
}
if ($plugin !== 'lmfwc2') {
    $devices = [
        ['token' => '', 'label' => 'no token'],
        ['token' => str_repeat('t', 256)],
        ['token' => "tab\there"],
        ['token' => 'Any-Text_that.is/printable ✓'],
        ['token' => 'list', 'meta_data' => '["a","b"]'],
        ['token' => 'large', 'meta_data' => $sealed_meta(['a' => str_repeat('x', 17000)])],
        ['token' => 'object', 'meta_data' => 'O:8:"stdClass":1:{s:1:"a";i:1;}'],
        ['token' => 'agent', 'user_agent' => str_repeat('ü', 600), 'source' => '7', 'created_at' => null],
        ['token' => 'orphan', 'license_id' => 999999999],
        ['token' => 'nul', 'label' => "a\0b"],
        ['token' => 'zero', 'deactivated_at' => '0000-00-00 00:00:00'],
    ];
    foreach ($devices as $n => $device) {
        insert($activationsTable, ['id' => 5000000 + $n, 'license_id' => 1, 'label' => null, 'source' => '2', 'user_agent' => null,
            'meta_data' => null, 'created_at' => '2025-01-02 03:04:05', 'deactivated_at' => '2025-02-03 04:05:06', ...$device]);
    }
}

// --- the rest

$generators = [
    [1, 'Plain', 'ABC123', 4, 4, 3, '-', null, null, 365, '2024-05-06 07:08:09', 1, null, null],
    [2, 'Prefix', "A'\"\\", 1, 100, null, null, 'P-', '-S', null, null, null, null, null],
    [3, 'Many chunks', 'ABC', 101, 4, 1, '-', null, null, 0, '2024-05-06 07:08:09', 1, '2024-05-07 07:08:09', 2],
];
foreach ($generators as $values) {
    insert($t('generators'), array_combine(['id', 'name', 'charset', 'chunks', 'chunk_length', $limit_name, 'separator', 'prefix', 'suffix', 'expires_in', 'created_at', 'created_by', 'updated_at', 'updated_by'], $values));
}
$all = array_fill_keys(['010', '011', '012', '013', '014', '015', '016', '017', '022', '023', '024', '025', '026', '027'], '1');
$keys = [
    ['server', 'read_write', json_encode($all)],
    ['shipped', 'read', '{"011":"1","015":"1","016":"1","017":"1","012":"0"}'],
    ['unknown', 'write', '{"012":"1","099":"1"}'],
    ['nothing', 'read', null],
];
foreach ($keys as $n => [$description, $permissions, $endpoints]) {
    $consumer = 'ck_' . sha1("key $n");
    insert($t('api_keys'), ['id' => $n + 1, 'user_id' => 1, 'description' => $description, 'permissions' => $permissions, ...($dlm ? ['endpoints' => $endpoints] : []),
        'consumer_key' => hash_hmac('sha256', $consumer, 'wc-api'), 'consumer_secret' => $n === 3 && !$dlm ? 'short' : 'cs_' . sha1("secret $n"), 'nonces' => null,
        'truncated_key' => substr($consumer, -7), 'last_access' => $n ? null : '2025-03-04 05:06:07', 'created_at' => '2024-01-01 00:00:00', 'created_by' => 1, 'updated_at' => null, 'updated_by' => null]);
}
$metas = [[1, 1, 'migrated_from', '17'], [2, 2, 'tags', serialize(['a', "it's", 'ü'])], [3, 2, null, 'x'], [4, 3, 'nothing', null], [5, 3, 'object', "O:1:\"A\":1:{s:4:\"\0A\0b\";i:1;}"]];
foreach ($metas as [$id, $license, $meta_key, $value]) {
    insert($metaTable, ['meta_id' => $id, 'license_id' => $license, 'meta_key' => $meta_key, 'meta_value' => $value, 'created_at' => null, 'created_by' => null, 'updated_at' => null, 'updated_by' => null]);
}
$routes = $plugin === 'lmfwc2' ? ['010' => '1', '011' => '1', '014' => '1', '015' => '1', '016' => '1', '009' => '1'] : ['011' => '1', '015' => '1', '016' => '1', '017' => '1', '014' => '0'];
insert("{$prefix}options", ['option_name' => 'siteurl', 'option_value' => 'https://shop.example']);
if (!$dlm) insert("{$prefix}options", ['option_name' => 'lmfwc_settings_general', 'option_value' => serialize(['lmfwc_hide_license_keys' => 0, 'lmfwc_enabled_api_routes' => $routes])]);
foreach (array_keys($rows) as $table) flush_rows($table);
