const form = document.getElementById('form');
const message = document.getElementById('message');

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const answer = await window.license.activate(form.elements.key.value);
  if (answer.state === 'licensed') location.href = 'index.html';
  else message.textContent = answer.message ?? answer.reason;
});
