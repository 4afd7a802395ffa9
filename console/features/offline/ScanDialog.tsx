import { Alert, Modal, Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { readQr } from './read-qr.ts';

/** Milliseconds between two scans of the camera picture. */
const LOOK_MS = 150;

interface Props {
  onText: (text: string) => void;
  onClose: () => void;
}

/** Reads a QR code with the camera of this device. */
export function ScanDialog({ onText, onClose }: Props) {
  const { t } = useTranslation('offline');
  const video = useRef<HTMLVideoElement>(null);
  const [fault, setFault] = useState<'noCamera' | 'insecure' | 'notAllowed' | null>(null);
  const found = useRef(onText);
  found.current = onText;

  useEffect(() => {
    let isOver = false;
    let stream: MediaStream | undefined;
    const stop = () => stream?.getTracks().forEach((track) => void track.stop());
    const scan = async () => {
      // Browsers offer cameras only to pages over HTTPS or from localhost.
      if (!navigator.mediaDevices) return setFault('insecure');
      try {
        stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } });
      } catch (error) {
        return setFault((error as Error).name === 'NotAllowedError' ? 'notAllowed' : 'noCamera');
      }
      const shown = video.current;
      if (isOver || !shown) return stop();
      shown.srcObject = stream;
      await shown.play().catch(() => {});
      while (!isOver) {
        const text = await readQr(shown, shown.videoWidth, shown.videoHeight);
        if (text !== null && !isOver) return found.current(text);
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      }
    };
    void scan();
    return () => {
      isOver = true;
      stop();
    };
  }, []);

  return (
    <Modal opened onClose={onClose} title={t('scan.title')}>
      {fault ? (
        <Alert color="orange" variant="light" role="alert">
          {t(`scan.${fault}`)}
        </Alert>
      ) : (
        <Stack gap="sm">
          <Text size="sm">{t('scan.hint')}</Text>
          <video
            ref={video}
            muted
            playsInline
            aria-label={t('scan.picture')}
            style={{ width: '100%', aspectRatio: '4 / 3', objectFit: 'cover', background: '#000' }}
          />
        </Stack>
      )}
    </Modal>
  );
}
