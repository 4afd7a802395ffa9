export const products = {
  /** Includes future ones. */
  all: 'All products',
  find: 'Find a product or enter a product ID',
  other: 'Another product ID',
  add: 'Add',
  added: 'Product {{label}} added.',
  chosen_one: '{{count}} product selected.',
  chosen_other: '{{count}} products selected.',
  none: 'No products yet. Add the product IDs of your shop.',
  noMatch: 'No known product matches.',
  more: 'Not all products are listed. Add others by their IDs.',
  failed: 'Products could not be loaded. Add them by their IDs.',
  hint: 'Its ID in your shop. It decides which software the license may update.',
  notANumber: 'Enter a product ID.',
  chooseOne: 'Select at least one.',
  moreOf: 'and {{count}} more',
};
