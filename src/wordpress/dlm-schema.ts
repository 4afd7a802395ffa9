const STAMPS = `
  \`created_at\` DATETIME NULL DEFAULT NULL,
  \`created_by\` BIGINT(20) UNSIGNED NULL DEFAULT NULL,
  \`updated_at\` DATETIME NULL DEFAULT NULL,
  \`updated_by\` BIGINT(20) UNSIGNED NULL DEFAULT NULL,`;

/** The columns of the tables of Digital License Manager 1.8.3 that Latchkey can fill. */
export const DLM_TABLES = {
  dlm_licenses: `  \`id\` BIGINT(20) UNSIGNED NOT NULL AUTO_INCREMENT,
  \`order_id\` BIGINT(20) UNSIGNED NULL DEFAULT NULL,
  \`product_id\` BIGINT(20) UNSIGNED NULL DEFAULT NULL,
  \`user_id\` BIGINT(20) UNSIGNED NULL DEFAULT NULL,
  \`license_key\` LONGTEXT NOT NULL,
  \`hash\` LONGTEXT NOT NULL,
  \`valid_for\` INT(10) UNSIGNED NULL DEFAULT NULL,
  \`expires_at\` DATETIME NULL DEFAULT NULL,
  \`source\` VARCHAR(255) NOT NULL,
  \`status\` TINYINT(1) UNSIGNED NOT NULL,
  \`activations_limit\` INT(10) UNSIGNED NULL DEFAULT NULL,${STAMPS}
  PRIMARY KEY (\`id\`)`,
  dlm_license_activations: `  \`id\` BIGINT(20) UNSIGNED NOT NULL AUTO_INCREMENT,
  \`token\` LONGTEXT NOT NULL,
  \`license_id\` BIGINT(20) UNSIGNED NOT NULL,
  \`label\` VARCHAR(255) NULL DEFAULT NULL,
  \`source\` VARCHAR(255) NOT NULL,
  \`ip_address\` VARCHAR(255) NULL DEFAULT NULL,
  \`user_agent\` TEXT NULL DEFAULT NULL,
  \`meta_data\` LONGTEXT NULL DEFAULT NULL,
  \`created_at\` DATETIME NULL DEFAULT NULL,
  \`updated_at\` DATETIME NULL DEFAULT NULL,
  \`deactivated_at\` DATETIME NULL DEFAULT NULL,
  PRIMARY KEY (\`id\`)`,
  dlm_generators: `  \`id\` BIGINT(20) UNSIGNED NOT NULL AUTO_INCREMENT,
  \`name\` VARCHAR(255) NOT NULL,
  \`charset\` VARCHAR(255) NOT NULL,
  \`chunks\` INT(10) UNSIGNED NOT NULL,
  \`chunk_length\` INT(10) UNSIGNED NOT NULL,
  \`activations_limit\` INT(10) UNSIGNED NULL DEFAULT NULL,
  \`separator\` VARCHAR(255) NULL DEFAULT NULL,
  \`prefix\` VARCHAR(255) NULL DEFAULT NULL,
  \`suffix\` VARCHAR(255) NULL DEFAULT NULL,
  \`expires_in\` INT(10) UNSIGNED NULL DEFAULT NULL,${STAMPS}
  PRIMARY KEY (\`id\`)`,
  dlm_license_meta: `  \`meta_id\` BIGINT(20) UNSIGNED NOT NULL AUTO_INCREMENT,
  \`license_id\` BIGINT(20) UNSIGNED NOT NULL DEFAULT 0,
  \`meta_key\` VARCHAR(255) NULL,
  \`meta_value\` LONGTEXT NULL,${STAMPS}
  PRIMARY KEY (\`meta_id\`)`,
} as const;

/** API keys cannot be written, so those that the plugin has stay; the table is created only where it is missing. */
export const DLM_API_KEYS = `  \`id\` BIGINT(20) UNSIGNED NOT NULL AUTO_INCREMENT,
  \`user_id\` BIGINT(20) UNSIGNED NOT NULL,
  \`description\` VARCHAR(200) NULL DEFAULT NULL,
  \`permissions\` VARCHAR(10) NOT NULL,
  \`endpoints\` LONGTEXT NULL DEFAULT NULL,
  \`consumer_key\` CHAR(64) NOT NULL,
  \`consumer_secret\` CHAR(43) NOT NULL,
  \`nonces\` LONGTEXT NULL,
  \`truncated_key\` CHAR(7) NOT NULL,
  \`last_access\` DATETIME NULL DEFAULT NULL,${STAMPS}
  PRIMARY KEY (\`id\`),
  INDEX \`consumer_key\` (\`consumer_key\`),
  INDEX \`consumer_secret\` (\`consumer_secret\`)`;

export type DlmTable = keyof typeof DLM_TABLES;
