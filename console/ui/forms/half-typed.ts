/** Reports and focuses the first field whose date is typed in part: its value is ''. Returns whether there is one. */
export function reportHalfTyped(form: HTMLFormElement): boolean {
  const field = [...form.querySelectorAll('input')].find(({ validity }) => validity.badInput);
  field?.reportValidity();
  return field !== undefined;
}
