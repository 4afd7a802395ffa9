/**
 * Ignores the second click of a double click on a button or a menu item. That click would run the action twice, or hit the
 * button that has replaced the first one. Put buttons that are meant to be clicked quickly inside `data-repeats`.
 */
export function ignoreSecondClicks(): void {
  const ignore = (event: MouseEvent) => {
    const { detail, target } = event;
    if (detail < 2 || !(target instanceof Element)) return;
    const button = target.closest('button, [role=menuitem], [role=option]');
    if (!button || button.closest('[data-repeats]')) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  window.addEventListener('click', ignore, { capture: true });
}
