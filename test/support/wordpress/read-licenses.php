<?php
// Reads license keys as the plugins do, independently of Latchkey's own code:
//   php read-licenses.php FOLDER < lines of "id TAB license_key TAB hash"
// Prints [id, license key] as JSON for each line. Ends with an error if a file, a ciphertext or a hash is wrong.

$folder = $argv[1];
$defuse = hex2bin(trim(file_get_contents("$folder/defuse.txt")));
$secret = file_get_contents("$folder/secret.txt");
function check(bool $isSo, string $what): void {
    if (!$isSo) {
        fwrite(STDERR, "$what\n");
        exit(1);
    }
}
check(strlen($defuse) === 68 && substr($defuse, 0, 4) === "\xDE\xF0\x00\x00", 'header of the key file');
check(hash_equals(hash('sha256', substr($defuse, 0, 36), true), substr($defuse, 36)), 'checksum of the key file');
$key = substr($defuse, 4, 32);
while (($line = fgets(STDIN)) !== false) {
    [$id, $sealed, $hash] = explode("\t", rtrim($line, "\n"));
    check($sealed === strtolower($sealed), "$id: lower case");
    $bytes = hex2bin($sealed);
    check(substr($bytes, 0, 4) === "\xDE\xF5\x02\x00", "$id: header");
    $salt = substr($bytes, 4, 32);
    $authentication = hash_hkdf('sha256', $key, 32, 'DefusePHP|V2|KeyForAuthentication', $salt);
    $encryption = hash_hkdf('sha256', $key, 32, 'DefusePHP|V2|KeyForEncryption', $salt);
    check(hash_equals(hash_hmac('sha256', substr($bytes, 0, -32), $authentication, true), substr($bytes, -32)), "$id: MAC");
    $text = openssl_decrypt(substr($bytes, 52, -32), 'aes-256-ctr', $encryption, OPENSSL_RAW_DATA, substr($bytes, 36, 16));
    check(hash_equals(hash_hmac('sha256', $text, $secret), $hash), "$id: hash");
    echo json_encode([(int) $id, $text]), "\n";
}
